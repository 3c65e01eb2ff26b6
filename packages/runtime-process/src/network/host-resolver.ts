import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';

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

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
