import path from 'node:path';
import { REPO, startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { startBare } from '../bare-service.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { type ColdStartSteps, readColdStarts } from '../read-cold-starts.ts';
import { spreadOf } from '../statistics.ts';
import { wake } from '../wake.ts';

/** Services that sleep side by side: a round wakes each once, so the wait for their idle timeout is shared. */
const SERVICES = 10;
const ROUNDS = 10;
const EXAMPLE = path.join(REPO, 'examples/hello-node');

/**
 * P5: the first request to a service that is not running, from the client's connect to the end of the answer, beside the
 * same program started by hand. A cold start in a network of its own, one on the
 * shared network and a bare start take turns, so that all see the same machine.
 * P4: what the platform adds, which is the difference of the two; the request log tells in which step.
 */
export async function measureColdStart({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth({ env: { BERTH_IDLE_TIMEOUT: '1' } });
  await using sharing = await startBerth({ env: { BERTH_IDLE_TIMEOUT: '1', BERTH_NETWORKS: 'shared' } });
  const names = Array.from({ length: isTenth ? 2 : SERVICES }, (_value, index) => `cold-${index}`);
  for (const name of names) {
    for (const server of [berth, sharing]) await deployed(server, name, { folder: EXAMPLE });
  }

  const coldMs: number[] = [];
  const sharedMs: number[] = [];
  const bareMs: number[] = [];
  const barePortMs: number[] = [];
  for (let round = 0; round < (isTenth ? 2 : ROUNDS); round++) {
    for (const name of names) {
      coldMs.push(await wake(berth, name));
      sharedMs.push(await wake(sharing, name));
      const bare = await startBare(EXAMPLE, [process.execPath, 'server.js']);
      bareMs.push(bare.firstAnswerMs);
      barePortMs.push(bare.portOpenMs);
    }
    say(
      `round ${round + 1}: ${JSON.stringify({ cold: spreadOf(coldMs), shared: spreadOf(sharedMs), bare: spreadOf(bareMs) })}`,
    );
  }

  const { account } = (await (await berth.api('/v1/user')).json()) as { account: { id: string } };
  await berth.stop();
  const steps = await readColdStarts(berth.dataFolder, account.id, names);
  const medianOf = (step: keyof ColdStartSteps) => spreadOf(steps.map((one) => one[step])).medianMs;

  const cold = spreadOf(coldMs);
  const shared = spreadOf(sharedMs);
  const bare = spreadOf(bareMs);
  return {
    figures: [
      figure('cold starts measured', cold.runs, 'runs'),
      figure('cold start, request to answer, median', cold.medianMs, 'ms'),
      figure('cold start, request to answer, p95', cold.p95Ms, 'ms', { id: 'P5', target: 150 }),
      figure('bare `node server.js` to first 200, median', bare.medianMs, 'ms'),
      figure('bare `node server.js` to first 200, p95', bare.p95Ms, 'ms'),
      figure('cold start / bare, medians', cold.medianMs / bare.medianMs, 'ratio'),
      figure("on the machine's shared network, median", shared.medianMs, 'ms'),
      figure('network of its own / shared network, medians', cold.medianMs / shared.medianMs, 'ratio'),
      figure("the platform's share, medians", cold.medianMs - bare.medianMs, 'ms', { id: 'P4', target: 20 }),
      figure('  request in to start ordered', medianOf('decideMs'), 'ms'),
      figure('  start ordered to program running', medianOf('spawnMs'), 'ms'),
      figure('  program running to port seen open', medianOf('listenMs'), 'ms'),
      figure('  bare: start to port open', spreadOf(barePortMs).medianMs, 'ms'),
      figure('  port seen open to first byte', medianOf('answerMs'), 'ms'),
    ],
    notes: [
      `${names.length} services of examples/hello-node, woken one at a time by a client on a connection of its own.`,
      'Each had stopped for idleness under the same server, which may have prepared its next start meanwhile.',
      'Not measured: several cold starts at once (burst), and the first start after the server’s own.',
    ],
  };
}
