import { existsSync, readdirSync } from 'node:fs';
import { readIfThere } from '../files/read-if-there.ts';

/** A process of this machine. Source: proc_pid_stat(5). */
export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  readonly group: number;
  readonly session: number;
  /** `R` running, `S` sleeping, `T` stopped, `Z` zombie… */
  readonly state: string;
  /** User and system time so far, in ticks (see {@link TICKS_PER_SECOND}). */
  readonly cpuTicks: number;
  readonly threads: number;
  /** Start time in ticks since boot. Together with `pid` it identifies a process uniquely, because pids are reused. */
  readonly startTicks: number;
}

/** `_SC_CLK_TCK`; 100 on every Linux that Node runs on, since the kernel scales `/proc` to USER_HZ. */
export const TICKS_PER_SECOND = 100;
/** `_SC_PAGESIZE` of x86-64 and of common arm64 kernels. */
export const PAGE_BYTES = 4_096;

/** Returns whether the system has `/proc`. Without it, only the process group of a program can be signaled. */
export function hasProcessTable(): boolean {
  return existsSync('/proc/self/stat');
}

/** Returns all processes, in no particular order; none on a system without `/proc`. Takes some 15 µs per process. */
export function readProcesses(): ProcessInfo[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/** Returns a process, or undefined when it doesn't exist. */
export function readProcess(pid: number): ProcessInfo | undefined {
  return parseProcessStat(readIfThere(`/proc/${pid}/stat`));
}

/**
 * Parses `/proc/<pid>/stat`; undefined when it is malformed. Fields are counted from the last `)`, because the program's name is in
 * parentheses and may contain spaces and parentheses.
 */
export function parseProcessStat(text: string): ProcessInfo | undefined {
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const at = (position: number): number => Number(fields[position - 3]);
  const pid = Number.parseInt(text, 10);
  if (end < 0 || fields.length < 22 || !Number.isSafeInteger(pid)) return undefined;
  return {
    pid,
    state: fields[0] ?? '',
    parentPid: at(4),
    group: at(5),
    session: at(6),
    cpuTicks: at(14) + at(15),
    threads: at(20),
    startTicks: at(22),
  };
}

/**
 * Time for a program to end after one of its processes was killed while it was frozen. A program that survives the loss of that process
 * resumes this much later.
 */
export const KILLED_WAIT_MS = 2_000;

/** SIGKILL (9) in the hexadecimal masks of `/proc/PID/status`. */
const SIGKILL_MASK = 1n << 8n;

/**
 * Returns whether a process has ended since it was read, or will end as soon as it runs: in a v1 freezer SIGKILL stays pending until the
 * process is thawed. Source: proc_pid_status(5), SigPnd and ShdPnd.
 */
export function isDoomed({ pid, startTicks }: ProcessInfo): boolean {
  const now = readProcess(pid);
  if (now === undefined || now.startTicks !== startTicks || now.state === 'Z') return true;
  const status = readIfThere(`/proc/${pid}/status`);
  const masks = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)];
  return masks.length === 0 || masks.some(([, mask]) => (BigInt(`0x${mask}`) & SIGKILL_MASK) !== 0n);
}
