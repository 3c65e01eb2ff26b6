import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '@berth/kit';

/** A memory limit on a process. */
export interface MemoryBound {
  /**
   * Watches the process where nothing else enforces the limit, until the returned function is called. Calls `onOver`
   * once it is exceeded.
   */
  watch(onOver: () => void): () => void;
}

/**
 * Limits the child process `pid` to `bytes` more than it uses now. Never rejects: when one way fails, the next is
 * tried.
 */
export type BoundMemory = (clock: Clock, pid: number, bytes: number) => Promise<MemoryBound>;

/**
 * Uses the kernel where possible: past RLIMIT_DATA, which counts private writable memory, an allocation fails, and the
 * engine ends its query with an error of its own. Any user may lower the limit, and it applies to root too. RLIMIT_AS
 * would count what V8 reserves and never touches. Elsewhere the process is watched.
 * Source: setrlimit(2); docs/decisions/0028-a-process-for-each-query.md.
 */
export const boundMemory: BoundMemory = async (clock, pid, bytes) => {
  if (await limitData(pid, bytes)) return { watch: () => () => {} };
  return watchMemory(clock, pid, bytes);
};

const run = promisify(execFile);

/** @returns false without /proc or `prlimit` (util-linux). */
async function limitData(pid: number, bytes: number): Promise<boolean> {
  const held = readStatus(pid, 'VmData');
  if (held === undefined) return false;
  try {
    // A core dump would be as large, and contain the account's rows.
    await run('prlimit', ['--pid', String(pid), '--core=0:0', `--data=${held + bytes}`]);
    return true;
  } catch {
    return false;
  }
}

const WATCH_MS = 50;

/** Polls the resident memory of the process, with /proc or else `ps`, twenty times a second. */
export const watchMemory: BoundMemory = async (clock, pid, bytes) => {
  const heldBytes = (await readResident(pid)) ?? 0;
  return {
    watch(onOver) {
      let isOver = false;
      const look = async () => {
        const resident = (await readResident(pid)) ?? 0;
        if (isOver) return;
        if (resident > heldBytes + bytes) onOver();
        else clock.setTimer(WATCH_MS, () => void look());
      };
      void look();
      return () => {
        isOver = true;
      };
    },
  };
};

async function readResident(pid: number): Promise<number | undefined> {
  const resident = readStatus(pid, 'VmRSS');
  if (resident !== undefined) return resident;
  try {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout) * 1_024;
  } catch {
    return undefined;
  }
}

/** Returns the bytes on a line of /proc/<pid>/status. Source: proc(5). */
function readStatus(pid: number, name: string): number | undefined {
  try {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1_024;
  } catch {
    return undefined;
  }
}
