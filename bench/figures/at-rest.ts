import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { request } from '../../tests/harness/request.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { cpuSeconds, processTree, residentMib } from '../process-tree.ts';
import { copyDeployment } from '../registered-services.ts';
import { quantile, roundTo } from '../statistics.ts';

const COLD_SERVICES = 200;
const REGISTERED = 10_000;
const RESTARTS = 5;
const REST_SECONDS = 30;

/**
 * P12: memory and CPU of a platform that no one asks anything with 200 cold services, and how long it takes to start
 * again with 10,000.
 */
export async function measureAtRest({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  await deployed(berth, 'original', { folder: path.join(REPO, 'examples/hello-node') });
  const restart = async (): Promise<number> => {
    await berth.stop();
    const startedMs = performance.now();
    await berth.start();
    return performance.now() - startedMs;
  };
  const register = async (count: number): Promise<void> => {
    await berth.stop();
    copyDeployment(path.join(berth.dataFolder, 'berth.db'), 'original', count);
    await berth.start();
    const answer = await request(berth, `copy-${count - 1}`);
    if (answer.status !== 200) throw new Error(`the last copy answered ${answer.status}: ${answer.text}`);
  };

  const emptyMs = await restart();
  await sleep(isTenth ? 1_000 : 10_000);
  const emptyMib = residentMib(processTree(berth.pid));
  await register(isTenth ? COLD_SERVICES / 10 : COLD_SERVICES);
  // All that runs after a restart is what was asked for: nothing.
  await restart();
  await sleep(isTenth ? 1_000 : 10_000);
  const restSeconds = isTenth ? 3 : REST_SECONDS;
  const before = cpuSeconds(processTree(berth.pid));
  await sleep(restSeconds * 1_000);
  const cpuPercent = ((cpuSeconds(processTree(berth.pid)) - before) / restSeconds) * 100;
  const restMib = residentMib(processTree(berth.pid));
  say(`at rest: ${roundTo(restMib, 1)} MB, ${roundTo(cpuPercent, 2)} % of a core`);

  await register(isTenth ? REGISTERED / 10 : REGISTERED);
  const restartMs: number[] = [];
  for (let round = 0; round < (isTenth ? 1 : RESTARTS); round++) {
    restartMs.push(await restart());
    say(`restart ${round + 1}: ${Math.round(restartMs.at(-1) ?? 0)} ms`);
  }
  const manyMib = residentMib(processTree(berth.pid));
  return {
    figures: [
      figure('at rest with one service: resident memory', emptyMib, 'MB', { id: 'P12', target: 110 }),
      figure('at rest: resident memory', restMib, 'MB', { id: 'P12', target: 150 }),
      figure('at rest: share of one core', cpuPercent, '%', { id: 'P12', target: 1 }),
      figure('restart with one service', emptyMs, 'ms'),
      figure('restart with 10,000, median', quantile(restartMs, 0.5), 'ms', { id: 'P12', target: 2_000 }),
      figure('restart with 10,000: resident memory', manyMib, 'MB'),
      figure('restart with 10,000 / with one', quantile(restartMs, 0.5) / emptyMs, 'ratio'),
    ],
    notes: [
      'Resident memory (MiB) is of the server and all it has started; a start is over when /readyz answers, asked every 25 ms.',
      'The services are copies of one deployment, written to the database of a stopped server; the last one is asked and answers.',
      ...(isTenth ? ['At a tenth: 20 cold services and 1,000 registered.'] : []),
    ],
  };
}
