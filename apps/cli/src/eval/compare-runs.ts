import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';

const resultSchema = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed', 'error']),
  /** From 0 to 1: the mean of the case's scorers. */
  score: z.number(),
  durationMs: z.number(),
  text: z.string(),
  tools: z.array(z.string()),
  scores: z.array(
    z.object({ scorer: z.string(), passed: z.boolean(), score: z.number(), reason: z.string().optional() }),
  ),
  /** The chat of a case that did not pass. */
  chat: z.string().optional(),
  error: z.string().optional(),
});

const runSchema = z.object({
  version: z.literal(1),
  agent: z.string(),
  /** ISO 8601. */
  at: z.string(),
  cases: z.array(resultSchema),
});

/** The result of a case. */
export type CaseResult = z.output<typeof resultSchema>;
/** The results of a run, as its file has them. */
export type EvalRun = z.output<typeof runSchema>;

/** How a case changed since an earlier run. */
export type Change = 'new' | 'regressed' | 'fixed' | 'better' | 'worse' | 'same';

/** Least difference of two scores that counts as a change; graders vary. */
const NOTICED = 0.05;

/** Returns how each case of a run changed since `earlier`, and the cases that are gone. */
export function compareRuns(run: Pick<EvalRun, 'cases'>, earlier: EvalRun | undefined) {
  const before = new Map(earlier?.cases.map((one) => [one.name, one]));
  const changes = new Map(run.cases.map((one) => [one.name, changeOf(one, before.get(one.name))]));
  for (const { name } of run.cases) before.delete(name);
  return { changes, removed: [...before.keys()] };
}

function changeOf(now: CaseResult, before: CaseResult | undefined): Change {
  if (!before) return 'new';
  const [passes, passed] = [now.status === 'passed', before.status === 'passed'];
  if (passes !== passed) return passes ? 'fixed' : 'regressed';
  if (Math.abs(now.score - before.score) < NOTICED) return 'same';
  return now.score > before.score ? 'better' : 'worse';
}

/** Reads the results of a run; undefined when there are none. @throws UsageError for a file that is something else */
export async function readRun(file: string): Promise<EvalRun | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`${file} can't be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return runSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${file} has no berth eval results. Delete it, or choose another with --baseline.`);
  }
}

/** Replaces the results in a file, whole. */
export async function writeRun(file: string, run: EvalRun): Promise<void> {
  const part = `${file}.part`;
  await writeFile(part, `${JSON.stringify(run, null, 2)}\n`);
  await rename(part, file);
}
