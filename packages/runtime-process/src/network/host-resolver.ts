import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { readIfThere } from '@berth/runtime/files';

/** The machine's name servers, by the way that programs in isolated networks reach them. */
export interface HostResolver {
  /** Name servers outside of this machine, reached directly. */
  readonly remote: readonly string[];
  /** A name server on this machine's loopback, to which queries must be redirected. Set only when there is no remote one. */
  readonly loopback: string | undefined;
  /** The lines of `/etc/resolv.conf` other than name servers. */
  readonly otherLines: readonly string[];
}

/** Reads resolv.conf(5). Skips name servers with IPv6 addresses, because the networks have only IPv4. */
export function readHostResolver(): HostResolver {
  const lines = readIfThere('/etc/resolv.conf').split('\n');
  const servers = lines.flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? []).filter((one) => isIPv4(one));
  const remote = servers.filter((one) => !one.startsWith('127.'));
  return {
    remote,
    loopback: remote.length === 0 ? servers[0] : undefined,
    otherLines: lines.filter((line) => line !== '' && !line.startsWith('nameserver')),
  };
}

/**
 * Writes a `resolv.conf` for programs, if they can't reach the machine's name server by its own address.
 * @param address The address to send queries to instead.
 * @returns `ProgramNetwork.etcFiles`, empty when the machine's own file works.
 */
export function writeResolverFile(
  folder: string,
  { loopback, otherLines }: HostResolver,
  address: string,
): Readonly<Record<string, string>> {
  if (loopback === undefined) return {};
  const path = join(folder, 'resolv.conf');
  writeFileSync(path, `${[`nameserver ${address}`, ...otherLines].join('\n')}\n`, { mode: 0o644 });
  return { 'resolv.conf': path };
}
