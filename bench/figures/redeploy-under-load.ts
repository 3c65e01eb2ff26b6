import { setTimeout as sleep } from 'node:timers/promises';
import { startBerth } from '../../tests/harness/berth.ts';
import { deployed } from '../../tests/harness/deploy.ts';
import { startLoad } from '../../tests/harness/open-loop.ts';
import { probe } from '../../tests/harness/project-files.ts';
import { request } from '../../tests/harness/request.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile, spreadOf } from '../statistics.ts';
import { startEvents, startSockets } from '../traffic.ts';

const REDEPLOYS = 20;
/** From one redeploy's start to the next one's, at least: the old revision's WebSockets are closed 10 s after. */
const EVERY_MS = 2_000;
const STREAMS = 50;
const REQUESTS_PER_SECOND = 1_000;
const NAME = 'busy';
/** Small, so that the revisions that still drain fit beside the new ones. */
const FIELDS = { memory: '256Mi' };

/**
 * P8: redeploys, one after the other, under requests at planned times, event streams that must come whole and in order,
 * and WebSockets that must echo until they are told to go (1012). What fails is counted, and none may.
 */
export async function measureRedeployUnderLoad({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using berth = await startBerth();
  await deployed(berth, NAME, { files: probe(), fields: FIELDS });
  const requestsPerSecond = isTenth ? REQUESTS_PER_SECOND / 10 : REQUESTS_PER_SECOND;
  const load = startLoad(berth, { service: NAME, path: '/status?code=200', requestsPerSecond, isKeptAlive: true });
  const events = startEvents(berth, NAME, isTenth ? STREAMS / 10 : STREAMS);
  const sockets = startSockets(berth, NAME, isTenth ? STREAMS / 10 : STREAMS);
  const deployMs: number[] = [];
  const revisions = new Set<string>();
  for (let round = 1; round <= (isTenth ? REDEPLOYS / 10 : REDEPLOYS); round++) {
    const startedMs = performance.now();
    await deployed(berth, NAME, { files: probe({ 'version.txt': String(round) }), fields: FIELDS });
    deployMs.push(performance.now() - startedMs);
    revisions.add((await request(berth, NAME)).json<{ revision: string }>().revision);
    if (revisions.size !== round) throw new Error('the redeploy is DONE, and the old revision answers');
    await sleep(Math.max(0, startedMs + EVERY_MS - performance.now()));
    say(`redeploy ${round}: ${Math.round(deployMs.at(-1) ?? 0)} ms`);
  }
  const [requests] = await Promise.all([load.stop(), events.stop(), sockets.stop()]);
  const failures = [...requests.failures, ...[...events.failures, ...sockets.failures].map(({ what }) => what)];
  for (const failure of failures.slice(0, 10)) say(`failed: ${failure}`);
  // At a tenth this is a test; at full size the number is the finding.
  if (isTenth && failures.length > 0) throw new Error(`${failures.length} failed, the first: ${failures[0]}`);
  if (events.done === 0 || sockets.done === 0) throw new Error('no stream or no WebSocket has done anything');
  const deploys = spreadOf(deployMs);
  return {
    figures: [
      figure('redeploys', deploys.runs, 'runs'),
      figure('requests', requests.sent, 'requests'),
      figure('event streams, whole and in order', events.done, 'requests'),
      figure('WebSocket messages echoed', sockets.done, 'requests'),
      figure('failed: requests', requests.failures.length, 'requests', { id: 'P8', target: 0 }),
      figure('failed: event streams', events.failures.length, 'requests', { id: 'P8', target: 0 }),
      figure('failed: WebSockets', sockets.failures.length, 'requests', { id: 'P8', target: 0 }),
      figure('request p50', quantile(requests.latenciesMs, 0.5), 'ms'),
      figure('request p99', quantile(requests.latenciesMs, 0.99), 'ms'),
      figure('redeploy under load, median', deploys.medianMs, 'ms'),
    ],
    notes: [
      'The client, the server and all instances share the cores; no process is pinned.',
      'A WebSocket that is closed with 1012 is the contract of a redeploy; its client opens another, and neither counts as failed.',
    ],
  };
}
