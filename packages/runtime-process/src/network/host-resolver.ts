import { readFileSync, writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';

/** How programs in networks of their own reach the machine's name servers. */
export interface HostResolver {
  /** Name servers that are elsewhere: reached as they are. */
  readonly remote: readonly string[];
  /** One on this machine's own loopback, that has to be led there; only where there is no remote one. */
  readonly loopback: string | undefined;
  /** The lines of `/etc/resolv.conf` without its name servers. */
  readonly otherLines: readonly string[];
}

/** Reads resolv.conf(5). Name servers with an IPv6 address are left out: the networks have IPv4 only. */
export function readHostResolver(path = '/etc/resolv.conf'): HostResolver {
  const lines = readLines(path);
  const servers = lines.flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? []).filter((one) => isIPv4(one));
  const remote = servers.filter((one) => !one.startsWith('127.'));
  return {
    remote,
    loopback: remote.length === 0 ? servers[0] : undefined,
    otherLines: lines.filter((line) => line !== '' && !line.startsWith('nameserver')),
  };
}

/**
 * Writes the `resolv.conf` of programs that can't reach the machine's name server by its own address.
 * @param address Where their queries go instead.
 * @returns `ProgramNetwork.etcFiles`: empty where the machine's own file will do.
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

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
