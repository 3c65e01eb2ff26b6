import { isIPv4 } from 'node:net';
import type { HostResolver } from './host-resolver.ts';
import { HOST_ADDRESS, sliceNetwork } from './network-slices.ts';

export interface PacketFilterOptions {
  readonly slice: number;
  /** Of nftables. */
  readonly table: string;
  /** What the interfaces of the slice begin with. */
  readonly interfacePrefix: string;
  readonly resolver: HostResolver;
  /** TCP ports of this machine's loopback that programs may reach. */
  readonly hostPorts: readonly number[];
  /** Networks that programs may not reach, besides {@link METADATA}. */
  readonly blockedRanges: readonly string[];
}

/**
 * Where clouds hand out the credentials of a machine: link-local (most of them), Alibaba's, Azure's and Oracle's own. What
 * they answer over IPv6 is out of reach because the networks have IPv4 only.
 */
export const METADATA = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'] as const;

/** Interfaces that container engines and virtual machines make for networks of their own on this machine. */
const LOCAL_BRIDGES = ['docker0', 'br-*', 'podman*', 'cni*', 'virbr*', 'lxdbr*', 'lxcbr*', 'incusbr*'] as const;

/**
 * The rules of nftables for a slice, as text for `nft -f`; they replace an earlier version at once. What comes from a program
 * may go to the internet; it reaches neither this machine nor other programs. Connections are refused and not dropped: clients
 * of clouds look for the metadata service first, and would hang.
 *
 * Invariants:
 * 1. Only answers to the gateway's connections, name queries, and what the operator allows come to this machine.
 * 2. No program reaches another one, of this server or of another.
 * 3. A program sends from its own address only.
 */
export function packetFilterRules(options: PacketFilterOptions): string {
  const { slice, table, interfacePrefix, resolver, blockedRanges } = options;
  const from = `iifname "${interfacePrefix}*"`;
  const to = `oifname "${interfacePrefix}*"`;
  const refuse = 'reject with icmpx admin-prohibited';
  const blocked = [...METADATA, ...blockedRanges.filter((range) => isIPv4(range.split('/')[0] ?? ''))];
  const nameServers = resolver.remote.map(
    (address) => `${from} ip daddr ${address} meta l4proto { tcp, udp } th dport 53`,
  );
  return `table inet ${table}
delete table inet ${table}
table inet ${table} {
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
${redirections(options, from)
  .map((rule) => `    ${rule}\n`)
  .join('')}  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname != "${interfacePrefix}*" return
    ct state established,related accept
    ct status dnat accept
${nameServers.map((rule) => `    ${rule} accept\n`).join('')}    ${refuse}
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    ${to} ct state established,related accept
    ${from} ${to} ${refuse}
    ${to} drop
    iifname != "${interfacePrefix}*" return
    meta nfproto ipv6 drop
    fib saddr . iif oif missing drop
    ct state established,related accept
${nameServers.map((rule) => `    ${rule} accept\n`).join('')}    oifname { "berth*", ${LOCAL_BRIDGES.map((name) => `"${name}"`).join(', ')} } ${refuse}
${blocked.map((range) => `    ip daddr ${range} ${refuse}\n`).join('')}    accept
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${sliceNetwork(slice)} oifname != "${interfacePrefix}*" masquerade
  }
}
`;
}

/** Rules inside a program's network that lead connections to these ports of its loopback to this machine. */
export function loopbackRules(hostPorts: readonly number[]): string {
  return `table ip berth {
  chain output {
    type nat hook output priority -100; policy accept;
    ip daddr 127.0.0.1 tcp dport { ${hostPorts.join(', ')} } dnat to ${HOST_ADDRESS}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip daddr ${HOST_ADDRESS} masquerade
  }
}
`;
}

function redirections({ resolver, hostPorts }: PacketFilterOptions, from: string): string[] {
  const toHost = `${from} ip daddr ${HOST_ADDRESS}`;
  return [
    ...(resolver.loopback === undefined
      ? []
      : [`${toHost} meta l4proto { tcp, udp } th dport 53 dnat ip to ${resolver.loopback}`]),
    ...(hostPorts.length === 0 ? [] : [`${toHost} tcp dport { ${hostPorts.join(', ')} } dnat ip to 127.0.0.1`]),
  ];
}
