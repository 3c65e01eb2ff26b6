import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostResolver } from './host-resolver.ts';

export interface EtcFilesOptions {
  /** The server's own, readable by services. */
  readonly folder: string;
  readonly resolver: HostResolver;
  /** Where queries to a name server on this machine's loopback go instead. */
  readonly resolverAddress: string;
  /** What {@link HOST_NAME} stands for; undefined where nothing on this machine may be reached. */
  readonly hostAddress: string | undefined;
}

/** The name of this machine, for programs that were let reach something on it. */
export const HOST_NAME = 'host.berth.internal';

/** Writes what programs in networks of their own find in `/etc` in place of the machine's files. Answers `ProgramNetwork.etcFiles`. */
export function writeEtcFiles(options: EtcFilesOptions): Readonly<Record<string, string>> {
  const { folder, resolver, resolverAddress, hostAddress } = options;
  const files: Record<string, string> = {};
  const write = (name: string, lines: readonly string[]): void => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o644 });
    files[name] = path;
  };
  if (resolver.loopback !== undefined) write('resolv.conf', [`nameserver ${resolverAddress}`, ...resolver.otherLines]);
  if (hostAddress !== undefined)
    write('hosts', [readFileSync('/etc/hosts', 'utf8').trimEnd(), `${hostAddress} ${HOST_NAME}`]);
  return files;
}
