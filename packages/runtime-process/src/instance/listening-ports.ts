import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type ListeningSocket, parseListeners } from '@berth/runtime';

/** Returns the TCP sockets that these processes listen on. All must be in one network namespace. Source: proc_pid_net(5). */
export function findListeners(pids: readonly number[]): ListeningSocket[] {
  const sockets = new Set(pids.flatMap(findSockets));
  const tables = ['tcp', 'tcp6'].map((table) => readFirst(pids.map((pid) => `/proc/${pid}/net/${table}`)));
  return tables.flatMap(parseListeners).filter(({ inode }) => sockets.has(inode));
}

/** Returns the distinct ports of these sockets, in ascending order. */
export function portsOf(listeners: readonly ListeningSocket[]): number[] {
  return [...new Set(listeners.map(({ port }) => port))].sort((a, b) => a - b);
}

function findSockets(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const inode = /^socket:\[(\d+)\]$/.exec(readLinkIfThere(`/proc/${pid}/fd/${name}`))?.[1];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

/** Reads the first file that exists. Every process of a network namespace has the same table, and some may have ended meanwhile. */
function readFirst(paths: readonly string[]): string {
  for (const path of paths) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // The process has ended: try the next one.
    }
  }
  return '';
}

function readLinkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
