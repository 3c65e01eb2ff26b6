import { startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { type LoadResult, startLoad } from '../../tests/harness/open-loop.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { slowService } from '../services.ts';
import { quantile } from '../statistics.ts';

const STEPS = [1_000, 2_000, 3_000];
const STEP_SECONDS = 20;

/**
 * P3: a service without an instance gets 1,000, then 2,000, then 3,000 requests a second at planned times; it takes
 * 100 ms for each, and C = 80. The cold start and every start on the way up are in the latencies.
 */
export async function measureSteps({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth({ env: { BERTH_IDLE_TIMEOUT: '1' } });
  await deployed(berth, 'slow', { files: slowService(), fields: { concurrency: '80', memory: '256Mi' } });
  const instances = async (): Promise<number> => {
    const row = await (await berth.api('/v1/deployment/slow')).json();
    return (row as { instances: number }).instances;
  };
  await waitFor('the service is cold', async () => (await instances()) === 0, { timeoutMs: 60_000 });

  const ends: Promise<LoadResult>[] = [];
  for (const requestsPerSecond of STEPS) {
    const load = startLoad(berth, { service: 'slow', requestsPerSecond, isKeptAlive: true });
    await new Promise((resolve) => setTimeout(resolve, (isTenth ? STEP_SECONDS / 10 : STEP_SECONDS) * 1_000));
    say(`${requestsPerSecond} a second: ${await instances()} instances`);
    // What it sent last is answered while the next step has begun.
    ends.push(load.stop());
  }
  const results = await Promise.all(ends);
  const failures = results.flatMap((result) => result.failures);
  if (isTenth && failures.length > 0) throw new Error(`${failures.length} failed, the first: ${failures[0]}`);
  for (const failure of failures.slice(0, 5)) say(`failed: ${failure}`);
  const all = results.flatMap((result) => result.latenciesMs);
  const steps = results.map((result, index) =>
    figure(`${STEPS[index]} a second: p95`, quantile(result.latenciesMs, 0.95), 'ms'),
  );
  return {
    figures: [
      figure('requests', all.length, 'requests'),
      figure('failed', failures.length, 'requests', { id: 'P3', target: 0 }),
      ...steps,
      figure('all steps: p95', quantile(all, 0.95), 'ms', { id: 'P3', target: 115 }),
      figure('all steps: longest', quantile(all, 1), 'ms', { id: 'P3', target: 2_000 }),
    ],
    notes: [
      `Steps of ${STEP_SECONDS} s; one run, not repeated. Client, server and instances share the cores; nothing is pinned.`,
      'No peer: nginx, HAProxy and Caddy start no instances.',
    ],
  };
}
