import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configDefaults } from 'vitest/config';
import { type Reporter, startVitest } from 'vitest/node';
import type { Lane } from './lanes.ts';
import { LongestFirst } from './longest-first.ts';
import { NOTHING, type Tally, toSkip } from './tally.ts';
import { createTallyReporter } from './tally-reporter.ts';

/** The result of a lane. */
export interface LaneRun {
  readonly lane: string;
  /** Whole seconds. */
  readonly seconds: number;
  /** A lane in which no test ran has failed. A lane that can't run on this machine has only skips. */
  readonly tally: Tally;
}

/** Runs the files of a lane in one vitest process. @param reporters print progress; none prints nothing */
export async function runLane(lane: Lane, reporters: readonly ('default' | Reporter)[]): Promise<LaneRun> {
  const startedMs = performance.now();
  const ended = (tally: Tally): LaneRun => {
    return { lane: lane.name, seconds: Math.round((performance.now() - startedMs) / 1000), tally };
  };
  const lacking = lane.lacks?.();
  if (lacking !== undefined) return ended({ ...NOTHING, skipped: [toSkip(lane.name, lacking)] });
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-test-'));
  try {
    const file = path.join(folder, 'tally.json');
    const vitest = await startVitest('test', [], {
      watch: false,
      include: [...lane.include],
      exclude: [...configDefaults.exclude, ...(lane.exclude ?? [])],
      maxWorkers: lane.maxWorkers,
      isolate: !lane.isSharing,
      testTimeout: lane.testTimeoutMs,
      sequence: { sequencer: LongestFirst },
      env: { ...lane.env },
      ...(lane.globalSetup && { globalSetup: lane.globalSetup }),
      reporters: [...reporters, createTallyReporter(file)],
    });
    await vitest.close();
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
    const leftOut = Object.entries(lane.leftOut ?? {}).map(([left, why]) => toSkip(left, `by design: ${why}`));
    const isEmpty = tally.passed + tally.failed.length === 0;
    const nothing = { test: lane.name, reason: 'no test ran, so it proved nothing' };
    return ended({
      ...tally,
      failed: isEmpty ? [nothing] : tally.failed,
      skipped: [...tally.skipped, ...leftOut],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
