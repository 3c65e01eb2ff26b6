import type { Figure } from '../figure.ts';
import type { Address } from '../find-instance.ts';
import { cpuSeconds } from '../process-tree.ts';

/** A proxy to measure. Both ports are those of 127.0.0.1. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly tlsPort: number;
  /** The processes whose CPU time and memory count. */
  readonly pids: () => readonly number[];
}

/** What is sent to a target. */
export interface Load {
  /** The `Host` header. */
  readonly host: string;
  /** The service behind all targets. */
  readonly upstream: Address;
  /** Runs for at least a second, for correctness. */
  readonly isTenth: boolean;
}

/** A row of the table: one measured value of each target. */
export interface Row {
  readonly title: string;
  readonly unit: Figure['unit'];
  /** Id in the table of speed targets. */
  readonly id?: string;
  /** What Berth's value must at least be, as a multiple of a peer's. */
  readonly atLeast?: Readonly<Record<string, number>>;
  /** What Berth's own value may at most be. */
  readonly target?: number;
  /** The peers' own values say more than the ratios to them. */
  readonly isValue?: boolean;
}

/** One thing that users send, measured on one target after another. */
export interface Scenario {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Returns the values of one round, in the order of {@link rows}. @throws Error when a request fails */
  measure(target: Target, load: Load): Promise<readonly number[]>;
}

/** Returns what `run` returns, for each second of CPU time that the target uses meanwhile. */
export async function perCpuSecond({ pids }: Target, run: () => Promise<number>): Promise<number> {
  const before = cpuSeconds(pids());
  const count = await run();
  const used = cpuSeconds(pids()) - before;
  return used > 0 ? count / used : Number.NaN;
}
