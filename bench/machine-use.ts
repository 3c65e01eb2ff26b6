import { readdirSync, readFileSync } from 'node:fs';
import { attempt } from './process-tree.ts';

/** The content of the files of /proc that {@link parseMachineSample} reads. Source: proc(5). */
export interface ProcFiles {
  /** /proc/loadavg */
  readonly loadavg: string;
  /** /proc/stat */
  readonly stat: string;
  /** /proc/<pid>/stat of every process. */
  readonly processes: readonly string[];
}

/** One process at one moment. */
interface ProcessUse {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** CPU time since its start; USER_HZ. */
  readonly ticks: number;
  /** When it started, in ticks since the machine's start: tells two processes of one id apart. */
  readonly startedTicks: number;
}

/** The machine at one moment. Ticks are those of all cores since its start. */
export interface MachineSample {
  /** Processes that ran or waited, averaged over the last minute. */
  readonly loadAverage: number;
  readonly cores: number;
  readonly totalTicks: number;
  /** Time in which the hypervisor ran another machine. */
  readonly stealTicks: number;
  readonly processes: readonly ProcessUse[];
}

/** Parses what /proc holds at one moment. */
export function parseMachineSample({ loadavg, stat, processes }: ProcFiles): MachineSample {
  // user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time.
  const ticks = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '').split(' ').slice(0, 8).map(Number);
  return {
    loadAverage: Number(loadavg.split(' ')[0]),
    cores: stat.match(/^cpu\d/gm)?.length ?? 1,
    totalTicks: ticks.reduce((sum, value) => sum + value, 0),
    stealTicks: ticks[7] ?? 0,
    processes: processes.flatMap((line) => {
      // The program's name may hold anything, spaces and parentheses too.
      const [, pid, name = '', rest = ''] = /^(\d+) \((.*)\) (.*)$/s.exec(line) ?? [];
      const fields = rest.split(' ').map(Number);
      if (pid === undefined) return [];
      const [parent = 0, ticks = 0, startedTicks = 0] = [fields[1], (fields[11] ?? 0) + (fields[12] ?? 0), fields[19]];
      return [{ pid: Number(pid), parent, name, ticks, startedTicks }];
    }),
  };
}

/** Returns the machine as it is now; undefined on a system without /proc. */
export function readMachineSample(): MachineSample | undefined {
  const read = (name: string) => attempt(() => readFileSync(`/proc/${name}`, 'utf8'));
  const [loadavg, stat] = [read('loadavg'), read('stat')];
  if (loadavg === undefined || stat === undefined) return undefined;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return parseMachineSample({ loadavg, stat, processes: pids.flatMap((pid) => read(`${pid}/stat`) ?? []) });
}

/** Limits above which a machine counts as busy. */
export const BUSY_LIMITS = {
  /** CPU time of others, as a share of one core. */
  othersRatio: 0.1,
  /** Stolen time, as a share of all cores. */
  stealRatio: 0.02,
};

/** Kernel threads are children of this one. They work for whoever writes to disks and networks. */
const KERNEL_THREADS_PID = 2;

/** Adds up who used the machine from one sample to the next. */
export interface MachineUse {
  add(sample: MachineSample): void;
  /** Returns why the machine was too busy to measure on, one sentence each; none when it was quiet. */
  reasons(): string[];
}

/**
 * Creates a meter of a machine's use, beginning with its first sample. Everything that `ownPid` has started counts as its own, and so do
 * descendants that it had once. A process that starts and ends between two samples isn't seen.
 *
 * @param isOwn tells by its name that a process works for the benchmark although it isn't a descendant, such as a container engine
 */
export function createMachineUse(ownPid: number, isOwn: (name: string) => boolean = () => false): MachineUse {
  const own = new Set<string>();
  const others = new Map<string, number>();
  let first: MachineSample | undefined;
  let last: MachineSample | undefined;
  const keyOf = ({ pid, startedTicks }: ProcessUse) => `${pid}:${startedTicks}`;

  const findOwn = ({ processes }: MachineSample) => {
    const byPid = new Map(processes.map((one) => [one.pid, one]));
    const belongs = (one: ProcessUse): boolean => {
      if (one.pid === ownPid || isOwn(one.name) || own.has(keyOf(one))) return true;
      const parent = byPid.get(one.parent);
      return parent !== undefined && belongs(parent);
    };
    for (const one of processes) if (belongs(one)) own.add(keyOf(one));
  };
  return {
    add(sample) {
      findOwn(sample);
      const before = new Map(last?.processes.map((one) => [keyOf(one), one.ticks]));
      for (const one of sample.processes) {
        const isKernel = one.pid === KERNEL_THREADS_PID || one.parent === KERNEL_THREADS_PID;
        // The time of a process that the first sample already has is not of this measurement.
        if (last === undefined || isKernel || own.has(keyOf(one))) continue;
        const used = one.ticks - (before.get(keyOf(one)) ?? 0);
        if (used > 0) others.set(one.name, (others.get(one.name) ?? 0) + used);
      }
      first ??= sample;
      last = sample;
    },
    reasons() {
      if (first === undefined || last === undefined || last === first) return [];
      const total = last.totalTicks - first.totalTicks;
      const percent = (ratio: number) => `${Math.round(ratio * 1_000) / 10} %`;
      const found: string[] = [];
      const stealRatio = (last.stealTicks - first.stealTicks) / total;
      if (stealRatio > BUSY_LIMITS.stealRatio)
        found.push(`${percent(stealRatio)} of the CPU time went to other machines`);
      const coreTicks = total / last.cores;
      const ranked = [...others].sort(([, a], [, b]) => b - a);
      const othersRatio = ranked.reduce((sum, [, ticks]) => sum + ticks, 0) / coreTicks;
      if (othersRatio > BUSY_LIMITS.othersRatio) {
        const names = ranked.slice(0, 3).map(([name, ticks]) => `${name} ${percent(ticks / coreTicks)}`);
        found.push(`other processes used ${percent(othersRatio)} of a core: ${names.join(', ')}`);
      }
      return found;
    },
  };
}
