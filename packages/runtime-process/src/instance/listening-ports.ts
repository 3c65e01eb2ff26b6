import { readdirSync, readlinkSync } from 'node:fs';
import { type ListeningSocket, parseListeners } from '@berth/runtime';
import { readIfThere } from '@berth/runtime/files';

/** Returns the TCP sockets that these processes listen on. All must be in one network namespace. Source: proc_pid_net(5). */
export function findListeners(pids: readonly number[]): ListeningSocket[] {
  const sockets = new Set(pids.flatMap(findSockets));
  // Every process of a network namespace has the same table, and some may have ended meanwhile.
  const readTable = (name: string): string => {
    for (const pid of pids) {
      const table = readIfThere(`/proc/${pid}/net/${name}`);
      if (table !== '') return table;
    }
    return '';
  };
  const tables = ['tcp', 'tcp6'].map(readTable);
  return tables.flatMap(parseListeners).filter(({ inode }) => sockets.has(inode));
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

function readLinkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
