import type { Deployment } from '@berth/contract';
import { expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { type Berth, startBerth } from '../harness/berth.ts';
import { deployed, readDeployStream } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

const IDLE = { BERTH_IDLE_TIMEOUT: '2', BERTH_SUSPEND_AFTER: '1' };

async function row(berth: Berth, name: string): Promise<Deployment> {
  return (await (await berth.api(`/v1/deployment/${name}`)).json()) as Deployment;
}

async function messages(berth: Berth, name: string): Promise<string[]> {
  return (await readLogs(berth, name)).logs.map((entry) => entry.message);
}

/** Those that are ready: without a request nothing but the log says so. */
function ready(berth: Berth, name: string, count: number): Promise<boolean> {
  return waitFor(`${count} instances of ${name} have become ready`, async () => {
    const all = await messages(berth, name);
    return all.filter((message) => message.startsWith('Instance ready')).length === count;
  });
}

async function redeploy(berth: Berth, name: string, settings: object): Promise<void> {
  const { last } = await readDeployStream(await berth.post('/v1/deployment/redeploy', { name, ...settings })).finish();
  expect(last).toMatchObject({ status: 'DONE' });
}

/** Another service of the same server, which is not kept, was idle for the idle timeout after all that happened before. */
async function idleTimeoutIsOver(berth: Berth): Promise<void> {
  const name = uniqueName('idle');
  await deployed(berth, name, { files: probe() });
  await waitFor('a service that is not kept stopped', async () => (await row(berth, name)).instances === 0);
}

// Fails when register() doesn't tell a pool that it has the route (after the restart), when decideStops takes no notice of
// minInstances (after the idle timeout), when decideStarts doesn't (after the exit), and when settings don't reach the gateway.
it('min_instances are kept over the idle timeout, a restart of the platform, an exit and a rollout, and given up at 0', async () => {
  verifies('form.min-instances');
  await using berth = await startBerth({ env: IDLE });
  const name = uniqueName('warm');
  await deployed(berth, name, { files: probe(), fields: { min_instances: '1' } });
  expect(await row(berth, name)).toMatchObject({ min_instances: 1, max_instances: 0, instances: 1 });
  await idleTimeoutIsOver(berth);
  expect((await row(berth, name)).instances).toBe(1);
  expect((await messages(berth, name)).filter((message) => /stopped|suspended/.test(message))).toEqual([]);

  // A restart: the first request finds it ready.
  await berth.kill9();
  await berth.start();
  await ready(berth, name, 2);
  expect((await request(berth, name)).json()).toMatchObject({ served: 1 });
  const answer = await waitFor('the request is logged', async () =>
    (await messages(berth, name)).find((message) => message.startsWith('GET / 200')),
  );
  expect(answer).not.toContain('cold start');
  expect(await messages(berth, name)).toContain('Instance started: min_instances keeps it running.');

  // An exit: it comes back without a request.
  await request(berth, name, '/exit?code=9');
  await ready(berth, name, 3);
  expect((await request(berth, name)).json()).toMatchObject({ served: 1 });

  // A rollout: all of the new revision's are there when it takes over.
  await redeploy(berth, name, { min_instances: 2 });
  expect(await row(berth, name)).toMatchObject({ min_instances: 2, instances: 2 });

  await redeploy(berth, name, { min_instances: 0 });
  await waitFor('it is not kept', async () => (await row(berth, name)).instances === 0);
  expect(await row(berth, name)).toMatchObject({ min_instances: 0, status: 'ready' });
});
