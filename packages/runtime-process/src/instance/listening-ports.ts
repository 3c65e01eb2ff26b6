import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { parseListeners } from '@berth/runtime';

/** The TCP ports that any of these processes listens on, in order. Source: proc_pid_net(5). */
export function findListeningPorts(pids: Iterable<number>): number[] {
  const portOf = new Map<string, number>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const { inode, port } of parseListeners(readIfThere(table))) portOf.set(inode, port);
  }
  const ports = new Set<number>();
  for (const pid of pids) {
    for (const inode of findSockets(pid)) {
      const port = portOf.get(inode);
      if (port !== undefined) ports.add(port);
    }
  }
  return [...ports].sort((a, b) => a - b);
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

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readLinkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
