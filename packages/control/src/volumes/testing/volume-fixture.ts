import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Api, type AuditLog, createApi, createAuditLog } from '@berth/accounts';
import { createError, type Scope } from '@berth/contract';
import type { Database } from '@berth/database';
import { openTestDatabase } from '@berth/database/testing';
import { type AccountId, createIdSource, createSilentLogger } from '@berth/kit';
import { createUrlSigner, parseSignedTarget, type SignedTarget, type UrlSigner } from '@berth/object-store';
import { createFakeClock, createFakeObjectStore, type FakeClock, type FakeObjectStore } from '@berth/testkit';
import type { Kysely } from 'kysely';
import { createEntitlements } from '../../billing/plans/entitlements.ts';
import { selfHostedPlans } from '../../billing/plans/plans.ts';
import { createDeploymentStore } from '../../deployments/store/deployment-store.ts';
import { createVolumes, type Volumes } from '../create-volumes.ts';
import { registerVolumeRoutes } from '../routes/register-volume-routes.ts';
import { createSignedUrls } from '../signed-urls.ts';
import { createVolumeStore } from '../volume-store.ts';

const KEYS: Readonly<Record<string, { readonly account: string; readonly scopes: readonly Scope[] }>> = {
  alice: { account: 'acc_alice', scopes: ['admin'] },
  'alice-read': { account: 'acc_alice', scopes: ['read'] },
  bob: { account: 'acc_bob', scopes: ['admin'] },
};

export const ALICE = 'acc_alice' as AccountId;

export interface VolumeAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** Volumes on a real database and an object store in memory. */
export interface VolumeFixture extends AsyncDisposable {
  readonly db: Kysely<Database>;
  readonly clock: FakeClock;
  readonly audit: AuditLog;
  readonly store: FakeObjectStore;
  readonly signer: UrlSigner;
  readonly volumes: Volumes;
  readonly api: Api;
  call(method: string, route: string, json?: unknown, key?: string): Promise<VolumeAnswer>;
  /** Makes a volume of Alice's and puts objects into it. */
  seed(name: string, ...paths: readonly string[]): Promise<void>;
  /** Makes a deployment of Alice's that has the volume mounted. */
  attach(deployment: string, volume: string): Promise<void>;
  /** A signed URL taken apart. */
  read(url: string): SignedTarget;
}

export async function createVolumeFixture(changes: Partial<FakeObjectStore> = {}): Promise<VolumeFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-control-volumes-'));
  const { db, close } = await openTestDatabase(path.join(folder, 'berth.db'));
  const clock = createFakeClock();
  const ids = createIdSource();
  const logger = createSilentLogger();
  const audit = createAuditLog({ db, clock, ids });
  const store: FakeObjectStore = { ...createFakeObjectStore({ clock }), ...changes };
  const signer = createUrlSigner({ secret: new Uint8Array(32).fill(3), clock });
  for (const id of ['acc_alice', 'acc_bob']) {
    await db.insertInto('accounts').values({ id, name: id, plan: 'free', is_operator: 0, created_at: 0 }).execute();
  }
  const volumes = createVolumes({
    db,
    store,
    clock,
    logger,
    audit,
    entitlements: createEntitlements(selfHostedPlans(30)),
  });
  const api = createApi({ logger, clock, ids, authenticate });
  const urls = createSignedUrls({ store, signer, clock, storageUrl: () => 'https://storage.example' });
  registerVolumeRoutes(api, { volumes, urls });
  return {
    db,
    clock,
    audit,
    store,
    signer,
    volumes,
    api,
    async call(method, route, json, key = 'alice') {
      const headers = { 'X-API-Key': key, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) };
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const answer = await api.request(route, { method, headers, ...body });
      return { status: answer.status, body: await answer.json() };
    },
    async seed(name, ...paths) {
      await createVolumeStore(db).ensure(ALICE, [name], clock.nowMs());
      const place = await volumes.placeOf(ALICE, name);
      for (const one of paths) store.seed(place, one, one);
    },
    async attach(deployment, volume) {
      const deployments = createDeploymentStore(db);
      await deployments.claim(ALICE, deployment, clock.nowMs());
      const mount = { mountPath: '/data', name: volume, readOnly: false, subPath: '' };
      await createVolumeStore(db).attach(ALICE, deployment, [mount]);
    },
    read(url) {
      const target = parseSignedTarget(url.replace('https://storage.example', ''));
      if (!target) throw new Error(`${url} is not signed`);
      return target;
    },
    async [Symbol.asyncDispose]() {
      await volumes.close();
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function authenticate(headers: Headers) {
  const key = KEYS[headers.get('x-api-key') ?? ''];
  if (!key) throw createError('unauthenticated', 'no such key');
  return {
    kind: 'key' as const,
    keyId: 'key_1',
    accountId: key.account as AccountId,
    scopes: key.scopes,
    isOperator: false,
  };
}
