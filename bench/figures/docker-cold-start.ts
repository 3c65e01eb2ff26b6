import path from 'node:path';
import { openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { request } from '../../tests/harness/request.ts';
import { dockerSettings, TEST_ENGINE } from '../../tests/harness/runtime.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { createHandContainer } from '../hand-started-container.ts';
import { spreadOf } from '../statistics.ts';
import { wake } from '../wake.ts';
import { NO_ENGINE } from '../without-engine.ts';

const SERVICES = 5;
const ROUNDS = 10;
const EXAMPLE = path.join(REPO, 'examples/hello-node');

/**
 * P4 and P5 on containers: the first request to a service that is not running, beside `docker start` and `docker run` of the
 * same image with the same limits, by hand. They take turns, so that all see the same machine.
 */
export async function measureDockerColdStart({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  if (TEST_ENGINE === undefined) return NO_ENGINE;
  await using berth = await startBerth({ env: { ...dockerSettings(), BERTH_IDLE_TIMEOUT: '1' } });
  const names = Array.from({ length: isTenth ? 2 : SERVICES }, (_value, index) => `cold-${index}`);
  for (const name of names) await deployed(berth, name, { folder: EXAMPLE });
  const { docker } = await openEngine(parseEngineAddress(TEST_ENGINE));
  const filters = { label: [`berth.deployment=${names[0]}`] };
  await request(berth, names[0] as string);
  const [container] = await docker.listContainers({ filters });
  if (!container) throw new Error('no container of the service was found');
  await using byHand = await createHandContainer(TEST_ENGINE, container.ImageID);

  const coldMs: number[] = [];
  const startMs: number[] = [];
  const runMs: number[] = [];
  for (let round = 0; round < (isTenth ? 2 : ROUNDS); round++) {
    for (const name of names) {
      coldMs.push(await wake(berth, name));
      startMs.push(await byHand.start());
      runMs.push(await byHand.run());
    }
    say(`round ${round + 1}: ${JSON.stringify({ cold: spreadOf(coldMs), start: spreadOf(startMs) })}`);
  }
  const [cold, start, run] = [spreadOf(coldMs), spreadOf(startMs), spreadOf(runMs)];
  return {
    figures: [
      figure('cold starts measured', cold.runs, 'runs'),
      figure('cold start, request to answer, median', cold.medianMs, 'ms'),
      figure('cold start, request to answer, p95', cold.p95Ms, 'ms', { id: 'P5' }),
      figure('`docker start` by hand to first 200, median', start.medianMs, 'ms'),
      figure('`docker start` by hand to first 200, p95', start.p95Ms, 'ms'),
      figure('`docker run` by hand to first 200, median', run.medianMs, 'ms'),
      figure('cold start / `docker start`, medians', cold.medianMs / start.medianMs, 'ratio', {
        id: 'P4',
        target: 1.15,
      }),
      figure('cold start / `docker run`, medians', cold.medianMs / run.medianMs, 'ratio'),
    ],
    notes: [
      `${names.length} services of examples/hello-node, woken one at a time by a client on a connection of its own.`,
      'By hand: the docker command line, started for each; the container is tried every millisecond.',
      'Each service had stopped for idleness under the same server, which may have made its next container meanwhile.',
    ],
  };
}
