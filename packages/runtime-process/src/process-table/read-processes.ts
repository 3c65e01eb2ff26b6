import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** One process of this machine. Source: proc_pid_stat(5). */
export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  readonly group: number;
  readonly session: number;
  /** `R` running, `S` sleeping, `T` stopped, `Z` ended and not yet waited for… */
  readonly state: string;
  /** User and system time so far, in {@link TICKS_PER_SECOND}ths of a second. */
  readonly cpuTicks: number;
  readonly threads: number;
  /** Since boot, in the same unit. Together with `pid` it names a process for good: pids are used again, a pair is not. */
  readonly startTicks: number;
  readonly residentPages: number;
}

/** `_SC_CLK_TCK`; 100 on every Linux that Node runs on, since the kernel scales `/proc` to USER_HZ. */
export const TICKS_PER_SECOND = 100;
/** `_SC_PAGESIZE` of x86-64 and of the usual arm64 kernels. */
export const PAGE_BYTES = 4_096;

/** False on a system without `/proc`: there, only the group of a program can be dealt with. */
export function hasProcessTable(): boolean {
  return existsSync('/proc/self/stat');
}

/** All processes, in no order; empty on a system without `/proc`. Costs some 15 µs for each. */
export function readProcesses(): ProcessInfo[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const processes: ProcessInfo[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const info = readProcess(Number(name));
    if (info) processes.push(info);
  }
  return processes;
}

/** Undefined when there is no such process (any more). */
export function readProcess(pid: number): ProcessInfo | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The program's name stands in parentheses and may hold spaces and parentheses itself: fields count from the last `)`. */
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
    residentPages: at(24),
  };
}
