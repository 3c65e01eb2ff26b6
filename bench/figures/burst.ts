import path from 'node:path';
import { REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { request } from '../../tests/harness/request.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';
import { startBare } from '../bare-service.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { spreadOf } from '../statistics.ts';

const SERVICES = 25;
const ROUNDS = 5;
const EXAMPLE = path.join(REPO, 'examples/hello-node');

/**
 * P6: one request to each of 25 services at once, none of which runs, beside 25 times the same program started at once by
 * hand. The two take turns.
 */
export async function measureBurst({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth({ env: { BERTH_IDLE_TIMEOUT: '1' } });
  const names = Array.from({ length: isTenth ? 5 : SERVICES }, (_value, index) => `burst-${index}`);
  for (const name of names) await deployed(berth, name, { folder: EXAMPLE, fields: { memory: '256Mi' } });
  const isCold = async (name: string) => {
    const row = await (await berth.api(`/v1/deployment/${name}`)).json();
    return (row as { instances: number }).instances === 0;
  };
  const allCold = async () => (await Promise.all(names.map(isCold))).every(Boolean);

  const coldMs: number[] = [];
  const bareMs: number[] = [];
  for (let round = 0; round < (isTenth ? 1 : ROUNDS); round++) {
    await waitFor('all services are cold', allCold, { timeoutMs: 60_000, everyMs: 250 });
    const wake = async (name: string): Promise<void> => {
      const startedMs = performance.now();
      const answer = await request(berth, name);
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${answer.text}`);
      coldMs.push(performance.now() - startedMs);
    };
    await Promise.all(names.map(wake));
    const bare = await Promise.all(names.map(() => startBare(EXAMPLE, [process.execPath, 'server.js'])));
    bareMs.push(...bare.map((one) => one.firstAnswerMs));
    say(`round ${round + 1}: ${JSON.stringify({ cold: spreadOf(coldMs), bare: spreadOf(bareMs) })}`);
  }
  const cold = spreadOf(coldMs);
  const bare = spreadOf(bareMs);
  return {
    figures: [
      figure('cold starts measured', cold.runs, 'runs'),
      figure('request to answer, median', cold.medianMs, 'ms'),
      figure('request to answer, p95', cold.p95Ms, 'ms', { id: 'P6', target: 2_000 }),
      figure('bare `node server.js` to first 200, p95', bare.p95Ms, 'ms'),
      figure('berth / bare, p95', cold.p95Ms / bare.p95Ms, 'ratio'),
    ],
    notes: [
      `${names.length} services of examples/hello-node; Berth starts two for each core at once, by hand all are started at once.`,
    ],
  };
}
