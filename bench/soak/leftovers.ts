import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findProcesses } from '../../tests/harness/processes.ts';
import { attempt, processTree } from '../process-tree.ts';

/** The server's own processes: not what it runs for others. */
export function serverProcesses(pid: number): number[] {
  const isServer = (one: number) => readProc(one, 'cmdline').includes('apps/server/src/');
  return processTree(pid).filter(isServer);
}

/** Open files, sockets among them, of processes together. */
export function openFiles(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (attempt(() => readdirSync(`/proc/${pid}/fd`).length) ?? 0), 0);
}

/** Folders of the control groups that the programs of a service are in now. */
export function controlGroups(service: string): string[] {
  return findProcesses(`K_SERVICE=${service}`).flatMap(({ pid }) =>
    readProc(pid, 'cgroup')
      .split('\n')
      .map((line) => /^\d+:([^:]*):(\/.+)$/.exec(line))
      .filter((match) => match !== null)
      .flatMap(([, controllers = '', group = '']) => {
        const root = controllers === '' ? ['', 'unified'] : controllers.replace('name=', '').split(',');
        return root.map((name) => path.join('/sys/fs/cgroup', name, group));
      })
      .filter((folder) => folder.includes('berth') && existsSync(folder)),
  );
}

function readProc(pid: number, file: string): string {
  return attempt(() => readFileSync(`/proc/${pid}/${file}`, 'utf8')) ?? '';
}
