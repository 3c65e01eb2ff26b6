import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Api, createApi, createAuditLog } from '@berth/accounts';
import { CONTAINER_MOUNTS, createError, type DeployEvent, type MountPolicy, type Scope } from '@berth/contract';
import type { OpenDatabase } from '@berth/database';
import { createTestSealer, openTestDatabase } from '@berth/database/testing';
import { type AccountId, type Clock, createIdSource, createSilentLogger, type Logger } from '@berth/kit';
import type { Owner } from '@berth/runtime';
import {
  createFakeBuilder,
  createFakeClock,
  createFakeGateway,
  createFakeLogStore,
  type FakeBuilder,
  type FakeClock,
  type FakeGateway,
  type FakeLogStore,
} from '@berth/testkit';
import { createEntitlements } from '../../../billing/plans/entitlements.ts';
import { type Plans, selfHostedPlans } from '../../../billing/plans/plans.ts';
import type { Cluster } from '../../../cluster/cluster.ts';
import { createDeployments, type Deployments } from '../../create-deployments.ts';
import type { DeployResult } from '../deploy-runner.ts';
import type { ReadExternal } from '../environment-service.ts';
import type { OpenObject } from '../intake/read-deploy-request.ts';
import { createMoments, type Moments } from './moments.ts';

/** API keys of the test accounts. */
export const KEYS: Readonly<Record<string, { readonly account: AccountId; readonly scopes: readonly Scope[] }>> = {
  alice: { account: 'acc_alice' as AccountId, scopes: ['admin'] },
  'alice-read': { account: 'acc_alice' as AccountId, scopes: ['read'] },
  bob: { account: 'acc_bob' as AccountId, scopes: ['admin'] },
};

/** One run of the platform's process. */
export interface Run {
  readonly api: Api;
  readonly db: Awaited<ReturnType<typeof openTestDatabase>>['db'];
  readonly deployments: Deployments;
  readonly gateway: FakeGateway;
  readonly moments: Moments;
}

/** A platform on fakes of its ports, over a real database that outlives its process. */
export interface Platform extends AsyncDisposable {
  readonly folder: string;
  readonly clock: FakeClock;
  readonly builder: FakeBuilder;
  readonly logs: FakeLogStore;
  /** Folders of volumes that were asked for. */
  readonly volumeFolders: Set<string>;
  /** The run of now. */
  readonly run: Run;
  /** Starts a process; the one before it must be dead or closed. */
  boot(prepare?: (run: Run) => void): Promise<Run>;
  /** Ends the process without a word, at once or when it died by itself. */
  kill(): Promise<void>;
  call(method: string, route: string, options?: CallOptions): Promise<Response>;
  /** Sends a deploy form and reads the stream to its end. */
  deploy(name: string, options?: DeployOptions): Promise<DeployEvent[]>;
}

export interface CallOptions {
  /** One of {@link KEYS}; `alice` by default. */
  readonly key?: string;
  readonly json?: unknown;
  readonly form?: FormData;
}

export interface DeployOptions {
  readonly key?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly archive?: string;
}

/** What makes a platform one of several servers. */
export interface Membership {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly leaseMs: number;
  forgetOwner(owner: Owner): Promise<void>;
}

export interface PlatformOptions {
  /** Opens another database than one of its own. */
  open?(): Promise<OpenDatabase>;
  /** Called at each boot with the open database. */
  join?(database: OpenDatabase): Membership;
  readonly logger?: Logger;
  readonly maxBuilds?: number;
  readonly openObject?: OpenObject;
  readonly plans?: Plans;
  readonly mountPolicy?: MountPolicy;
  readonly readExternal?: ReadExternal;
  onBuildSeconds?(account: string, deployment: string, seconds: number): void;
  onDeployEnded?(result: DeployResult): void;
}

const ids = createIdSource();

export async function createPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-deploys-'));
  const clock = createFakeClock();
  const builder = createFakeBuilder(path.join(folder, 'archives'));
  const logs = createFakeLogStore(() => clock.nowMs());
  const volumeFolders = new Set<string>();
  const logger = options.logger ?? createSilentLogger();
  let run: Run | undefined;
  let closeDatabase = async () => {};

  const current = (): Run => {
    if (!run) throw new Error('the platform was not booted');
    return run;
  };
  const platform: Platform = {
    folder,
    clock,
    builder,
    logs,
    volumeFolders,
    get run() {
      return current();
    },
    async boot(prepare) {
      const database = await (options.open?.() ?? openTestDatabase(path.join(folder, 'berth.sqlite')));
      closeDatabase = database.close;
      for (const account of new Set(Object.values(KEYS).map((key) => key.account))) {
        await database.db
          .insertInto('accounts')
          .values({ id: account, name: account, plan: 'free', is_operator: 0, created_at: 0 })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      const moments = createMoments();
      const db = database.db.withPlugin(moments.plugin);
      const gateway = createFakeGateway();
      const deployments = createDeployments({
        db,
        clock,
        ids,
        logger,
        builder: moments.mortal(builder),
        gateway: moments.mortal(gateway),
        logs,
        audit: createAuditLog({ db, clock, ids }),
        sealer: createTestSealer(),
        urlOf: (name) => `http://${name}.localhost:8787`,
        volumeFolder: async (account, volume, subPath) => {
          volumeFolders.add(path.join('volumes', account, volume, subPath));
          return { volume: `${account}/${volume}`, subPath };
        },
        readExternal: options.readExternal,
        mountPolicy: options.mountPolicy ?? CONTAINER_MOUNTS,
        onTraffic: gateway.setTraffic,
        forgetOwner: async () => {},
        entitlements: createEntitlements(options.plans ?? selfHostedPlans(30)),
        ...options.join?.(database),
        ...(options.onBuildSeconds ? { onBuildSeconds: options.onBuildSeconds } : {}),
        ...(options.onDeployEnded ? { onDeployEnded: options.onDeployEnded } : {}),
        environmentPrefixes: ['ACME'],
        reservedNames: ['intranet'],
        ...(options.maxBuilds ? { maxBuilds: options.maxBuilds } : {}),
        ...(options.openObject ? { openObject: options.openObject } : {}),
      });
      const api = createApi({ logger, clock, ids, authenticate });
      deployments.registerRoutes(api);
      run = { api, db, deployments, gateway, moments };
      prepare?.(run);
      const started = deployments.start();
      await Promise.race([started, moments.died]);
      return run;
    },
    async kill() {
      current().moments.die();
      await builder.crash();
      await closeDatabase();
    },
    async call(method, route, { key = 'alice', json, form } = {}) {
      const headers = new Headers({ 'X-API-Key': key });
      if (json !== undefined) headers.set('content-type', 'application/json');
      const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
      return current().api.request(route, { method, headers, ...(body === undefined ? {} : { body }) });
    },
    async deploy(name, deployOptions = {}) {
      const { key } = deployOptions;
      return readEvents(
        await platform.call('POST', '/v1/deploy', { form: deployForm(name, deployOptions), ...(key ? { key } : {}) }),
      );
    },
    async [Symbol.asyncDispose]() {
      if (run && !run.moments.isDead) await run.deployments.close(5_000);
      await closeDatabase();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return platform;
}

/** A deploy form that is right unless `fields` say otherwise. */
export function deployForm(name: string, { fields = {}, archive = 'an archive' }: DeployOptions = {}): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries({ function_name: name, volumes: '{}', ...fields })) {
    form.set(field, value);
  }
  form.set('source_archive.0', new Blob([archive]), 'source.tar.gz');
  return form;
}

/** All events of an NDJSON answer. @throws Error when it is no stream. */
export async function readEvents(answer: Response): Promise<DeployEvent[]> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DeployEvent);
}

async function authenticate(headers: Headers) {
  const key = KEYS[headers.get('x-api-key') ?? ''];
  if (!key) throw createError('unauthenticated', 'no such key');
  return { kind: 'key' as const, keyId: 'key_1', accountId: key.account, scopes: key.scopes, isOperator: false };
}
