import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { findProcesses } from '../../harness/processes.ts';
import { nodeProject, type ProjectFiles } from '../../harness/project-files.ts';
import type { Secrets } from './secrets.ts';

/** Where the victim has its volume. */
export const VICTIM_MOUNT = '/mnt/victim';

/** A service of another account that holds a secret in everything a service can have. */
export function victimProject(secrets: Secrets): ProjectFiles {
  return nodeProject(
    `import { createServer } from 'node:http';
    import { mkdirSync, writeFileSync } from 'node:fs';
    const [[mount, { path = mount }]] = Object.entries(JSON.parse(process.env.BERTH_VOLUMES));
    writeFileSync(path + '/victim-volume.txt', '${secrets.make('victim-volume')}');
    writeFileSync((process.env.TMPDIR ?? '/tmp') + '/victim-temporary.txt', '${secrets.make('victim-temporary')}');
    console.log('${secrets.make('victim-log')}');
    createServer((request, response) => {
      if (request.url === '/exit') return response.end('', () => process.exit());
      response.end('victim: ${secrets.make('victim-answer')}');
    }).listen(process.env.PORT, '0.0.0.0');`,
    { 'victim-source.txt': secrets.make('victim-source') },
  );
}

/** The running victim, as root of the host sees it. */
export interface VictimProcess {
  readonly pid: number;
  readonly port: number;
  /** IPv4 addresses of the network namespace that it is in, without loopback. */
  readonly addresses: readonly string[];
  /** Ports of the host's loopback that a helper in user space leads to it (`pasta -t ADDRESS/PORT:PORT --netns …`). */
  readonly forwardedPorts: readonly number[];
  /** Its file system. */
  readonly root: string;
  readonly workingFolder: string;
}

/** Finds the process of the only instance of a deployment. @throws Error when there is none. */
export function findVictim(name: string): VictimProcess {
  const found = findProcesses(`K_SERVICE=${name}`).find(({ command }) => /^(\S*\/)?node\s/.test(command));
  if (!found) throw new Error(`no process of ${name}`);
  const proc = `/proc/${found.pid}`;
  const port = Number(/(?:^|\0)PORT=(\d+)/.exec(readFileSync(`${proc}/environ`, 'utf8'))?.[1]);
  const table = readFileSync(`${proc}/net/fib_trie`, 'utf8');
  const addresses = [...table.matchAll(/\|-- (\S+)\n\s+\/32 host LOCAL/g)].map(([, address]) => address as string);
  return {
    pid: found.pid,
    port,
    addresses: [...new Set(addresses)].filter((address) => !address.startsWith('127.')),
    forwardedPorts: findForwardedPorts(readlinkSync(`${proc}/ns/net`)),
    root: `${proc}/root`,
    workingFolder: readlinkSync(`${proc}/cwd`),
  };
}

function findForwardedPorts(namespace: string): number[] {
  return findProcesses('--netns').flatMap(({ command }) => {
    const [, port, netns] = /(?:-t|--tcp-ports) [\d.]+\/(\d+):.*--netns (\S+)/.exec(command) ?? [];
    try {
      return port !== undefined && netns !== undefined && readlinkSync(netns) === namespace ? [Number(port)] : [];
    } catch {
      // A network whose holder has ended.
      return [];
    }
  });
}

/** The first file or folder called `name` below one of the folders, links not followed. */
export function findBelow(folders: readonly string[], isWanted: (path: string) => boolean): string | undefined {
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = path.join(folder, entry.name);
      if (isWanted(full)) return full;
      if (!entry.isDirectory() || entry.name === 'node_modules') continue;
      const found = findBelow([full], isWanted);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Whether a file of at most 16 MiB holds `text`. */
export function holds(file: string, text: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size < 2 ** 24 && readFileSync(file).includes(text);
}
