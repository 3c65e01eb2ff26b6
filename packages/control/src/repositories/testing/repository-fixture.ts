import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { createAuditLog } from '@berth/accounts';
import { CONTAINER_MOUNTS, type ConnectedRepository, type FileSettings, type Repository } from '@berth/contract';
import { createTestSealer } from '@berth/database/testing';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { createEntitlements } from '../../billing/plans/entitlements.ts';
import { selfHostedPlans } from '../../billing/plans/plans.ts';
import { createPlatform } from '../../deployments/deploys/testing/platform.ts';
import { createWebhookAccess } from '../../outbound/webhook-access.ts';
import { createRepositories, type Repositories } from '../create-repositories.ts';
import type { CommitRequest, ReceiveCommit } from '../repository-context.ts';
import { registerRepositoryRoutes } from '../routes/register-repository-routes.ts';
import { startFakeForge } from './fake-forge.ts';

/** Returns a hash of a commit. */
export const sha = (letter: string) => letter.repeat(40);

/** A platform with repositories, and a forge. */
export async function createRepositoryFixture({ networks = ['127.0.0.1/32'] }: { networks?: readonly string[] } = {}) {
  const forge = await startFakeForge();
  const platform = await createPlatform();
  const { clock, builder } = platform;
  const ids = createIdSource(() => clock.nowMs());
  const fetched: CommitRequest[] = [];
  const settings = new Map<string, FileSettings>();
  let fetch: ReceiveCommit = async (request) => ({
    archive: await builder.receive(Readable.from([request.sha])),
    settings: settings.get(request.sha) ?? {},
  });
  const open = ({ db, api, deployments }: typeof platform.run): Repositories => {
    const repositories = createRepositories({
      ...{ db, clock, ids, deployments, builder, logger: createSilentLogger(), sealer: createTestSealer() },
      audit: createAuditLog({ db, clock, ids }),
      access: createWebhookAccess(networks),
      entitlements: createEntitlements(selfHostedPlans(30)),
      receiveCommit: (request) => {
        fetched.push(request);
        return fetch(request);
      },
      git: { readHostKey: async ({ url }) => `SHA256:${url}` },
      urlOf: (name) => `http://${name}.localhost:8787`,
      baseUrl: 'http://localhost:8787',
      reservedNames: [],
      mountPolicy: CONTAINER_MOUNTS,
    });
    registerRepositoryRoutes(api, repositories);
    return repositories;
  };
  let repositories: Repositories | undefined;
  const boot = async () => {
    await platform.boot((run) => {
      repositories = open(run);
    });
    repositories?.start();
  };
  await boot();

  /** Calls a route and returns the status and the body. */
  const call = async (method: string, route: string, json?: unknown, key?: string) => {
    const response = await platform.call(method, route, { json, ...(key && { key }) });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
    return { status: response.status, body: (await response.json()) as any };
  };
  /** Posts a body to a path without credentials. */
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const response = await platform.run.api.request(path, { method: 'POST', headers, body });
    return { status: response.status, body: await response.text() };
  };
  return {
    ...{ platform, forge, fetched, settings, clock, call, post },
    /** Replaces how commits are fetched. */
    fetchWith(next: ReceiveCommit) {
      fetch = next;
    },
    /** Connects the deployment `app` to `me/app`. @throws Error when it is refused */
    async connect(options: Readonly<Record<string, unknown>> = {}): Promise<ConnectedRepository> {
      const defaults = { deployment_name: 'app', url: `${forge.origin}/me/app`, forge: 'gitea' };
      const { status, body } = await call('POST', '/v1/repositories', { ...defaults, ...options });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
    show: async (name = 'app'): Promise<Repository> =>
      (await call('GET', `/v1/repositories?deployment_name=${name}`)).body,
    /** Sends an event as Gitea does. */
    async send({ id, hook_secret }: ConnectedRepository, event: string, payload: object, secret = hook_secret ?? '') {
      const body = JSON.stringify(payload);
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'x-gitea-event': event, 'x-gitea-signature': signature, 'content-type': 'application/json' };
      return post(`/v1/hooks/git/${id}`, headers, body);
    },
    /** Lets time pass until `condition` holds. */
    until: (what: string, condition: () => boolean | Promise<boolean>) =>
      waitUntil(what, async () => {
        await clock.elapse(1_000);
        return condition();
      }),
    /** Kills the server at once and starts it again. */
    async restart() {
      void repositories?.close(0);
      await platform.kill();
      await boot();
    },
    async [Symbol.asyncDispose]() {
      await repositories?.close(0);
      await platform[Symbol.asyncDispose]();
      await forge[Symbol.asyncDispose]();
    },
  };
}

/** The body of a push as Gitea sends it. */
export const push = (after: string, options: Readonly<Record<string, unknown>> = {}) => ({
  ref: 'refs/heads/main',
  before: sha('0').replaceAll('0', '9'),
  after,
  commits: [{ id: after, message: 'Change', added: [], removed: [], modified: ['services/api/main.js'] }],
  total_commits: 1,
  head_commit: { id: after, message: `Commit ${after[0]}\n\nwith a body` },
  ...options,
});

/** The body of a pull request's event as Gitea sends it. */
export const pullRequest = (action: string, number: number, head: string, { fork = false, base = 'main' } = {}) => ({
  action,
  number,
  pull_request: {
    title: `Request ${number}`,
    updated_at: `${head} ${action}`,
    base: { ref: base, repo: { id: 1 } },
    head: { sha: head, repo: { id: fork ? 2 : 1 } },
  },
});
