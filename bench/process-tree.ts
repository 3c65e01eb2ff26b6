import { readdirSync, readFileSync } from 'node:fs';

/** Jiffies a second in `/proc/<pid>/stat`: USER_HZ, 100 on every Linux that Node runs on. Source: proc(5). */
const TICKS_PER_SECOND = 100;

/** `pid` and everything it has started that still runs, other than what `isLeftOut`. Needs /proc. */
export function processTree(pid: number, isLeftOut: (pid: number) => boolean = () => false): number[] {
  if (isLeftOut(pid)) return [];
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const children = threads.flatMap((thread) =>
    (attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '').split(' ').filter(Boolean),
  );
  return [pid, ...children.flatMap((child) => processTree(Number(child), isLeftOut))];
}

/** CPU seconds, user and system, that `pids` have used since they started; to 10 ms. */
export function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The program's name, which may hold anything, is in parentheses; user and system time are fields 14 and 15.
    const fields = (attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '').replace(/^.*\) /s, '').split(' ');
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, value) => sum + value, 0) / TICKS_PER_SECOND;
}

/** Resident memory of `pids` together, in MiB. Pages they share are counted for each. */
export function residentMib(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  });
  return kib.reduce((sum, value) => sum + value, 0) / 1_024;
}

/** What a look at a process finds; undefined when it has ended since it was listed. */
export function attempt<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
