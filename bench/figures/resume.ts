import { startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { probe } from '../../tests/harness/project-files.ts';
import { request } from '../../tests/harness/request.ts';
import { dockerSettings, TEST_ENGINE } from '../../tests/harness/runtime.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';
import { NO_ENGINE } from '../without-engine.ts';

/** Services that are frozen side by side: a round wakes each once. */
const SERVICES = 10;
const ROUNDS = 10;

/** P5: the first request to a suspended service, from the client's connect to the end of the answer, beside one to a running service. */
export async function measureResume(
  { isTenth, say }: BenchOptions,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchResult> {
  await using berth = await startBerth({ env: { ...settings, BERTH_ADMIN_PORT: '0', BERTH_SUSPEND_AFTER: '1' } });
  const adminUrl = /Metrics\s+(http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(berth.output)?.[1];
  const names = Array.from({ length: isTenth ? 2 : SERVICES }, (_value, index) => `frozen-${index}`);
  for (const name of names) await deployed(berth, name, { files: probe(), fields: { memory: '256Mi' } });
  const areSuspended = async () => {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    return names.every((name) => text.includes(`berth_instances{deployment="${name}",state="suspended"} 1\n`));
  };
  const timed = async (name: string) => {
    const startedMs = performance.now();
    const answer = await request(berth, name);
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${answer.text}`);
    return performance.now() - startedMs;
  };

  const resumedMs: number[] = [];
  const runningMs: number[] = [];
  for (let round = 0; round < (isTenth ? 2 : ROUNDS); round++) {
    await waitFor('all are suspended', areSuspended, { timeoutMs: 60_000, everyMs: 200 });
    for (const name of names) {
      resumedMs.push(await timed(name));
      runningMs.push(await timed(name));
    }
    say(`round ${round + 1}: ${JSON.stringify({ resumed: spreadOf(resumedMs), running: spreadOf(runningMs) })}`);
  }
  const resumed = spreadOf(resumedMs);
  return {
    figures: [
      figure('resumes measured', resumed.runs, 'runs'),
      figure('suspended, request to answer, median', resumed.medianMs, 'ms'),
      figure('suspended, request to answer, p95', resumed.p95Ms, 'ms', { id: 'P5', target: 20 }),
      figure('running, request to answer, median', spreadOf(runningMs).medianMs, 'ms'),
      figure('running, request to answer, p95', spreadOf(runningMs).p95Ms, 'ms'),
    ],
    notes: [
      'The client makes a new connection for each request; the time is to the whole answer, not to its first byte.',
    ],
  };
}

/** {@link measureResume} of containers. */
export async function measureDockerResume(options: BenchOptions): Promise<BenchResult> {
  return TEST_ENGINE === undefined ? NO_ENGINE : measureResume(options, dockerSettings());
}
