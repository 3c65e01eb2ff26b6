import type { Metrics } from '@berth/contract';
import { expect, it } from 'vitest';
import { createAccount } from '../harness/accounts.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

const HELD_BYTES = 96 * 2 ** 20;

/** Holds memory, and answers the milliseconds of CPU that it has used when it has used as many more. */
const SERVICE = nodeProject(`
  import { createServer } from 'node:http';
  globalThis.held = Buffer.alloc(${HELD_BYTES}, 1);
  const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
  createServer((request, response) => {
    const until = usedMs() + 1500;
    while (usedMs() < until);
    response.end(String(usedMs()));
  }).listen(process.env.PORT, '0.0.0.0');
`);

it('tells the CPU and memory that a deployment used, to its account', { timeout: 120_000 }, async () => {
  const name = uniqueName('metered');
  await deployed(berth, name, { files: SERVICE });
  const usedSeconds = Number((await request(berth, name)).text) / 1_000;
  const read = async (): Promise<Metrics['points']> => {
    const answer = await berth.api(`/v1/deployment/metrics?name=${name}&window=15m`);
    return ((await answer.json()) as Metrics).points;
  };
  const sum = (points: Metrics['points']) => points.reduce((total, point) => total + point.cpu_seconds, 0);
  const points = await waitFor(
    'what was used is told',
    async () => {
      const found = await read();
      return sum(found) >= usedSeconds * 0.9 && found;
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  // What starts and confines the program uses some too.
  expect(sum(points)).toBeLessThan(usedSeconds + 10);
  const most = Math.max(...points.map((point) => point.memory_max_bytes));
  expect(most).toBeGreaterThan(HELD_BYTES);
  expect(most).toBeLessThan(HELD_BYTES + 512 * 2 ** 20);
  expect(Math.max(...points.map((point) => point.instances))).toBe(1);
  expect(points.reduce((total, point) => total + point.requests, 0)).toBe(1);

  const shown = await cli(berth, ['metrics', name]);
  expect(shown.stdout).toMatch(/CPU +\d+\.\d{3} vCPU +0\.\d{3} vCPU at most/);
  expect(shown.code).toBe(0);

  const other = await createAccount(berth, uniqueName('other'));
  const answer = await berth.api(`/v1/deployment/metrics?name=${name}`, { headers: { 'X-API-Key': other.key } });
  expect(answer.status).toBe(403);

  await berth.kill9();
  await berth.start();
  expect(sum(await read())).toBeGreaterThanOrEqual(sum(points));
});
