import { cpus, loadavg, release, totalmem } from 'node:os';

/** The machine that numbers were taken on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** Processes that ran or waited, over the last 1, 5 and 15 minutes, when the benchmark ended; its own are among them. */
  readonly loadAverage: readonly number[];
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}
