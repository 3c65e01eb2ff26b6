import { isIPv4 } from 'node:net';
import type { HostResolver } from './host-resolver.ts';
import { HOST_ADDRESS, sliceNetwork } from './network-slices.ts';

/** Options of {@link packetFilterRules}. */
export interface PacketFilterOptions {
  readonly slice: number;
  /** Name of the nftables table. */
  readonly table: string;
  /** Name prefix of the slice's interfaces. */
  readonly interfacePrefix: string;
  readonly resolver: HostResolver;
  /** TCP ports of this machine's loopback that programs may reach. */
  readonly hostPorts: readonly number[];
  /** Networks that programs may not reach, besides {@link METADATA}. */
  readonly blockedRanges: readonly string[];
}

/**
 * Metadata addresses at which clouds give out a machine's credentials: link-local (most clouds), Alibaba, Azure and Oracle. Their IPv6
 * addresses are unreachable, because the networks have only IPv4.
 */
export const METADATA = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'] as const;

/** Interfaces of the networks that container engines and virtual machines make on this machine. */
const LOCAL_BRIDGES = ['docker0', 'br-*', 'podman*', 'cni*', 'virbr*', 'lxdbr*', 'lxcbr*', 'incusbr*'] as const;

/**
 * Returns the nftables rules of a slice as text for `nft -f`, which replaces an earlier version atomically. Programs can reach the internet,
 * but neither this machine nor other programs. Connections are rejected and not dropped, because clients of clouds try the metadata service
 * first and would hang.
 *
 * Invariants:
 * 1. Only answers to the gateway's connections, DNS queries, and what the operator allows reach this machine.
 * 2. No program reaches another program, of this server or another one.
 * 3. A program sends only from its own address.
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

/** Returns the rules inside a program's network that redirect connections to these ports of its loopback to this machine. */
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
