import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { AgentClient } from '@berth/client';
import { BerthError, forEachConcurrently } from '@berth/kit';
import { explainUnauthenticated, findAgent } from '../../chat/find-agent.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { startProject } from '../../dev/start-project.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { type CaseResult, type Change, compareRuns, type EvalRun, readRun, writeRun } from '../../eval/compare-runs.ts';
import { createGrader } from '../../eval/create-grader.ts';
import { type EvalCase, readCases } from '../../eval/read-cases.ts';
import { runCase } from '../../eval/run-case.ts';
import { scoreAnswer } from '../../eval/score-answer.ts';

const LAST_RUN = '.last-run.json';
const GRADER_URL = 'https://api.openai.com/v1';
const CONCURRENCY = 4;

/** `berth eval`. */
export const evaluate = defineCommand({
  name: 'eval',
  summary: 'Run evaluation cases against an agent and compare with the last run',
  description:
    'Sends the messages of each case to the agent in a new chat and grades the last answer. Without --agent, starts the project in the current folder with temporary data. Exits with code 1 if a case fails.',
  words: { '[folder]': 'Folder with cases (*.json, *.jsonl); evals by default' },
  options: {
    '--agent <agent>': 'Name of a deployment, or the URL of any agent',
    '--token <token>': 'Your access token, for an agent with its own identity provider (BERTH_AGENT_TOKEN)',
    '--only <text>': 'Run only cases whose name contains this',
    '--concurrency <number>': `Concurrent cases, 1–50; ${CONCURRENCY} by default`,
    '--grader <model>': `Model that grades cases, at BERTH_GRADER_URL (${GRADER_URL} by default) with BERTH_GRADER_KEY`,
    '--baseline <file>': `Results to compare with; ${LAST_RUN} in the folder by default`,
  },
  examples: [
    ['berth eval', 'the cases in evals, against the project in this folder'],
    ['berth eval --agent my-agent', 'against a deployed agent'],
    ['berth eval --agent http://localhost:3000 --only greeting', 'some cases, against a running agent'],
    ['berth eval --grader gpt-5-mini --json > results.json', 'with graded cases, for CI'],
  ],
  async run({ words: [word = 'evals'], options }, context) {
    const { workingFolder, output, clock } = context;
    const folder = path.resolve(workingFolder, word);
    const concurrency = readConcurrency(options.concurrency);
    const all = await readCases(folder);
    const cases = all.filter(({ name }) => name.includes(options.only ?? ''));
    if (cases.length === 0) throw new UsageError(`No case's name contains "${options.only}".`);
    const grade = openGrader(cases, options.grader, context);
    const lastRun = path.join(folder, LAST_RUN);
    const baseline = options.baseline === undefined ? lastRun : path.resolve(workingFolder, options.baseline);
    const earlier = await readRun(baseline);
    if (options.baseline !== undefined && !earlier) throw new UsageError(`${baseline} does not exist.`);

    await using project = options.agent === undefined ? await startHere(context) : undefined;
    const target = options.agent ?? project?.url ?? '';
    // A project that was started here signs in whoever reaches it, by any token, if it has dev().
    const given = options.token ?? (context.environment['BERTH_AGENT_TOKEN'] || undefined);
    const agent = await findAgent(target, given ?? (project && 'dev'), context);
    const results = new Map<string, CaseResult>();
    output.showStatus(`0 of ${cases.length} cases`);
    try {
      await forEachConcurrently(cases, { concurrency, signal: context.signal }, async (one, signal) => {
        results.set(one.name, await judge(agent, one, grade, { clock, signal }));
        output.showStatus(`${results.size} of ${cases.length} cases`);
      });
    } catch (error) {
      throw explainUnauthenticated(error, target);
    } finally {
      output.clearStatus();
    }
    const run: EvalRun = {
      version: 1,
      agent: options.agent ?? path.basename(workingFolder),
      at: new Date(clock.nowMs()).toISOString(),
      cases: cases.flatMap(({ name }) => results.get(name) ?? []),
    };
    // A run of some cases is compared with the same ones, and must not forget the others.
    const isPartial = cases.length < all.length;
    const comparable = earlier && {
      ...earlier,
      cases: earlier.cases.filter(({ name }) => !isPartial || results.has(name)),
    };
    report(run, comparable, output);
    const kept = isPartial ? (earlier?.cases.filter(({ name }) => !results.has(name)) ?? []) : [];
    if (options.baseline === undefined) await writeRun(lastRun, { ...run, cases: [...run.cases, ...kept] });
    return run.cases.every(({ status }) => status === 'passed') ? 0 : 1;
  },
});

/** Starts the project in the working folder, with data that goes with it. */
async function startHere(context: Context) {
  const dataFolder = await mkdtemp(path.join(context.machine.temporaryFolder, 'berth-eval-'));
  const forget = () => rm(dataFolder, { recursive: true, force: true });
  try {
    const project = await startProject(context.workingFolder, dataFolder, context);
    return {
      url: project.url,
      async [Symbol.asyncDispose]() {
        await project[Symbol.asyncDispose]();
        await forget();
      },
    };
  } catch (error) {
    await forget();
    throw error;
  }
}

type Grader = ReturnType<typeof createGrader>;

function openGrader(cases: readonly EvalCase[], model: string | undefined, { environment, signal }: Context): Grader {
  const graded = cases.filter(({ expect }) => expect.graded !== undefined);
  if (graded.length > 0 && model === undefined) {
    throw new UsageError(
      `${graded.length} cases are graded by a model. Name it: --grader MODEL, with BERTH_GRADER_KEY`,
    );
  }
  return createGrader({
    model: model ?? '',
    baseUrl: environment['BERTH_GRADER_URL'] || GRADER_URL,
    apiKey: environment['BERTH_GRADER_KEY'],
    signal,
  });
}

function readConcurrency(text = String(CONCURRENCY)): number {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 50) throw new UsageError('--concurrency must be a number from 1 to 50');
  return number;
}

async function judge(
  agent: AgentClient,
  one: EvalCase,
  grade: Grader,
  options: { readonly clock: Context['clock']; readonly signal: AbortSignal },
): Promise<CaseResult> {
  const { text, tools, durationMs, chatId, error } = await runCase(agent, one, options);
  const base = { name: one.name, durationMs, text, tools: [...tools] };
  if (error !== undefined) return { ...base, status: 'error', score: 0, scores: [], chat: chatId, error };
  try {
    const scores = [...(await scoreAnswer(one, { text, tools }, grade))];
    const score = scores.reduce((sum, { score: part }) => sum + part, 0) / scores.length;
    if (scores.every(({ passed }) => passed)) return { ...base, status: 'passed', score, scores };
    return { ...base, status: 'failed', score, scores, chat: chatId };
  } catch (thrown) {
    if (!BerthError.is(thrown)) throw thrown;
    return { ...base, status: 'error', score: 0, scores: [], chat: chatId, error: thrown.message };
  }
}

const CHANGES: Readonly<Record<Change, string>> = {
  new: 'new',
  regressed: 'regressed',
  fixed: 'fixed',
  better: 'better',
  worse: 'worse',
  same: '',
};

function report(run: EvalRun, earlier: EvalRun | undefined, output: Context['output']): void {
  const { changes, removed } = compareRuns(run, earlier);
  const [now, before] = [sumUp(run.cases), earlier && sumUp(earlier.cases)];
  output.json({
    ...run,
    cases: run.cases.map((one) => ({ ...one, change: changes.get(one.name) })),
    ...now,
    ...(before && { before }),
    removed,
  });
  const { style } = output;
  output.table(run.cases, [
    { heading: 'CASE', text: ({ name }) => name },
    {
      heading: 'RESULT',
      text: ({ status }) => status,
      paint: (text, { status }) => (status === 'passed' ? style.green(text) : style.red(text)),
    },
    { heading: 'SCORE', text: ({ score }) => score.toFixed(2) },
    { heading: 'TIME', text: ({ durationMs }) => `${(durationMs / 1_000).toFixed(1)} s` },
    { heading: 'CHANGE', text: ({ name }) => (earlier ? CHANGES[changes.get(name) ?? 'same'] : '') },
    { heading: 'WHY', text: whyOf },
  ]);
  const compared = before ? `; last run: ${before.passed} of ${before.total}, ${before.score.toFixed(2)}` : '';
  output.print(`${now.passed} of ${now.total} passed, score ${now.score.toFixed(2)}${compared}`);
  if (removed.length > 0) output.print(`No longer there: ${removed.join(', ')}`);
}

function whyOf({ error, scores }: CaseResult): string {
  const failed = scores.find(({ passed }) => !passed);
  return error ?? (failed ? `${failed.scorer}: ${failed.reason ?? ''}` : '');
}

function sumUp(cases: readonly CaseResult[]) {
  const passed = cases.filter(({ status }) => status === 'passed').length;
  const score = cases.reduce((sum, one) => sum + one.score, 0) / Math.max(1, cases.length);
  return { total: cases.length, passed, failed: cases.length - passed, score };
}
