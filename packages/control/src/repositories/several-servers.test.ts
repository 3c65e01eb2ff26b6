import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { createAuditLog } from '@berth/accounts';
import { CONTAINER_MOUNTS, type ConnectedRepository } from '@berth/contract';
import { createTestSealer } from '@berth/database/testing';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createEntitlements } from '../billing/plans/entitlements.ts';
import { selfHostedPlans } from '../billing/plans/plans.ts';
import { createPausableClock, createSharedDatabase } from '../cluster/testing/open-servers.ts';
import { createPlatform, type Platform } from '../deployments/deploys/testing/platform.ts';
import { createWebhookAccess } from '../outbound/webhook-access.ts';
import { createRepositories } from './create-repositories.ts';
import { registerRepositoryRoutes } from './routes/register-repository-routes.ts';
import { push, sha } from './testing/repository-fixture.ts';

/** Short, so that a test waits for the end of one. */
const LEASE_MS = 900;

/** Two servers on one database, both with the work of repositories. */
async function createServers() {
  const database = await createSharedDatabase();
  const clocks = [createPausableClock(), createPausableClock()] as const;
  /** The servers that fetched a commit, in order. */
  const fetched: string[] = [];
  const waits = { a: Promise.resolve(), b: Promise.resolve() };
  const ends: (() => Promise<void>)[] = [];
  const open = async (name: 'a' | 'b', clock: (typeof clocks)[0]): Promise<Platform> => {
    let join: ReturnType<typeof database.join> | undefined;
    const platform = await createPlatform({
      open: database.open,
      join: (opened) => {
        join = database.join(opened, clock);
        return { cluster: join, clock, leaseMs: LEASE_MS, forgetOwner: async () => {} };
      },
    });
    await platform.boot(({ db, api, deployments }) => {
      const ids = createIdSource();
      const repositories = createRepositories({
        ...{ db, clock, ids, deployments, builder: platform.builder, logger: createSilentLogger() },
        ...{
          sealer: createTestSealer(),
          audit: createAuditLog({ db, clock, ids }),
          reservedNames: [],
          mountPolicy: CONTAINER_MOUNTS,
        },
        ...(join && { cluster: join }),
        leaseMs: LEASE_MS,
        git: { readHostKey: async () => 'SHA256:' },
        access: createWebhookAccess([]),
        entitlements: createEntitlements(selfHostedPlans(30)),
        async receiveCommit({ sha: commit }) {
          fetched.push(name);
          const archive = await platform.builder.receive(Readable.from([commit]));
          await waits[name];
          return { archive, settings: {} };
        },
        urlOf: (one) => `http://${one}.localhost:8787`,
        baseUrl: 'http://localhost:8787',
      });
      registerRepositoryRoutes(api, repositories);
      repositories.start();
      ends.push(() => repositories.close(1_000));
    });
    return platform;
  };
  const a = await open('a', clocks[0]);
  const b = await open('b', clocks[1]);
  const json = { deployment_name: 'app', url: 'https://github.com/me/app' };
  const repository = (await (await a.call('POST', '/v1/repositories', { json })).json()) as ConnectedRepository;
  return {
    ...{ a, b, fetched, waits, clock: clocks[0] },
    async push(to: Platform, commit: string) {
      const body = JSON.stringify(push(commit));
      const signature = createHmac('sha256', repository.hook_secret ?? '')
        .update(body)
        .digest('hex');
      const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}` };
      return to.run.api.request(`/v1/hooks/git/${repository.id}`, { method: 'POST', headers, body });
    },
    runs: () => a.run.db.selectFrom('repository_runs').select(['sha', 'state']).orderBy('id').execute(),
    deploys: () => a.run.db.selectFrom('deploys').select(['id', 'step']).execute(),
    async [Symbol.asyncDispose]() {
      for (const clock of clocks) clock.resume();
      for (const end of ends) await end();
      await a[Symbol.asyncDispose]();
      await b[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

test('a push that both servers receive is deployed once, by one of them', async () => {
  await using servers = await createServers();
  const { a, b, push: send, runs, deploys, fetched } = servers;
  const answers = await Promise.all([send(a, sha('a')), send(b, sha('a')), send(a, sha('a'))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await waitUntil('it is deployed', async () => (await runs())[0]?.state === 'succeeded');
  await send(b, sha('b'));
  await waitUntil('the next is deployed', async () => (await runs())[1]?.state === 'succeeded');
  expect([(await runs()).length, (await deploys()).length, fetched.length]).toEqual([2, 2, 2]);
});

// Fails when a server that was paused beyond its lease deploys what another has deployed meanwhile.
test('the work of a server that stands still is done by the other, and only once', { timeout: 30_000 }, async () => {
  await using servers = await createServers();
  const { push: send, runs, deploys, fetched, waits, clock, a, b } = servers;
  const { promise, resolve } = Promise.withResolvers<void>();
  waits.a = promise;
  // Until A has the commit.
  for (let letter = 1; fetched.at(-1) !== 'a'; letter++) {
    const before = fetched.length;
    await send(a, sha(String(letter)));
    await waitUntil('one fetches it', () => fetched.length > before);
  }
  clock.pause();
  await waitUntil('B takes over', async () => fetched.at(-1) === 'b' && (await runs()).at(-1)?.state === 'succeeded');
  const count = (await deploys()).length;
  clock.resume();
  resolve();
  await send(b, sha('f'));
  await waitUntil('the next is deployed', async () => (await runs()).at(-1)?.state === 'succeeded');
  expect((await deploys()).length).toBe(count + 1);
});
