import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Api, createApi, createAuditLog } from '@berth/accounts';
import { createError, type Schedule, type ScheduleRun } from '@berth/contract';
import type { Database } from '@berth/database';
import { openTestDatabase } from '@berth/database/testing';
import { type AccountId, createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock, createFakeLogStore, type FakeClock, type FakeLogStore } from '@berth/testkit';
import type { Kysely } from 'kysely';
import { type Cluster, createSoleCluster } from '../../cluster/cluster.ts';
import { createDeploymentStore } from '../../deployments/store/deployment-store.ts';
import { type CreateSchedulesOptions, createSchedules, type Schedules } from '../create-schedules.ts';
import { registerScheduleRoutes } from '../routes/register-schedule-routes.ts';
import type { CronCall } from '../schedule-runner.ts';
import { createScheduleStore } from '../schedule-store.ts';

const ALICE = 'acc_alice' as AccountId;
const BOB = 'acc_bob' as AccountId;

/** A process that calls services, and what it called. */
export interface Worker {
  readonly schedules: Schedules;
  readonly api: Api;
  readonly calls: CronCall[];
}

export interface CallOptions {
  readonly json?: unknown;
  /** `alice`, `alice-read` or `bob`; `alice` by default. */
  readonly key?: string;
}

export interface ScheduleAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** Schedules of the accounts `alice` and `bob` over a real database, with a clock that is moved. */
export interface ScheduleFixture extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly db: Kysely<Database>;
  readonly logs: FakeLogStore;
  /** Starts a process. What `answer` does is what its services answer, 204 by default. */
  boot(answer?: (call: CronCall) => number | Promise<number>, options?: Partial<CreateSchedulesOptions>): Worker;
  /** For a process that is one of several; its leases follow the fixture's clock. */
  cluster(): Cluster;
  /** Ends all processes without a word; what they still say is not heard. */
  kill(): Promise<void>;
  /** What a deploy of alice's does when it is done. */
  deploy(name: string, schedule: Schedule | null, account?: AccountId): Promise<void>;
  /** Newest first. */
  history(name: string): Promise<ScheduleRun[]>;
  /** Calls a route of `worker`. */
  call(worker: Worker, method: string, route: string, options?: CallOptions): Promise<ScheduleAnswer>;
}

export async function createScheduleFixture(startTime = '2026-01-01T00:00:00Z'): Promise<ScheduleFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-schedules-'));
  const clock = createFakeClock(Date.parse(startTime));
  const ids = createIdSource(() => clock.nowMs());
  const logger = createSilentLogger();
  const logs = createFakeLogStore(() => clock.nowMs());
  const file = path.join(folder, 'berth.sqlite');
  let database = await openTestDatabase(file);
  for (const id of [ALICE, BOB]) {
    const account = { id, name: id, plan: 'free', is_operator: 0, created_at: 0 };
    await database.db.insertInto('accounts').values(account).execute();
  }
  let workers: Worker[] = [];
  return {
    clock,
    logs,
    get db() {
      return database.db;
    },
    boot(answer = () => 204, options = {}) {
      const { db } = database;
      const calls: CronCall[] = [];
      const schedules = createSchedules({
        db,
        clock,
        ids,
        logger,
        logs,
        audit: createAuditLog({ db, clock, ids }),
        secretKey: new Uint8Array(32).fill(7),
        async callCron(call) {
          calls.push(call);
          const aborted = Promise.withResolvers<never>();
          aborted.promise.catch(() => {});
          call.signal.addEventListener('abort', () => aborted.reject(call.signal.reason), { once: true });
          return Promise.race([answer(call), aborted.promise]);
        },
        pollMs: 600_000,
        ...options,
      });
      const api = createApi({ logger, clock, ids, authenticate });
      registerScheduleRoutes(api, { schedules });
      const worker = { schedules, api, calls };
      workers.push(worker);
      schedules.start();
      return worker;
    },
    cluster: () => ({ ...createSoleCluster(clock), isAlone: false }),
    async kill() {
      await database.close();
      for (const worker of workers) worker.schedules.close(0).catch(() => {});
      workers = [];
      database = await openTestDatabase(file);
    },
    async deploy(name, schedule, account = ALICE) {
      await createDeploymentStore(database.db).claim(account, name, clock.nowMs());
      await createDeploymentStore(database.db).update(account, name, { status: 'ready', updatedAtMs: clock.nowMs() });
      await createScheduleStore(database.db).declare(account, name, schedule, clock.nowMs());
    },
    async history(name) {
      const worker = workers[0];
      if (!worker) throw new Error('no process runs');
      return (await worker.schedules.runs(ALICE, { name, limit: 200 })).runs;
    },
    async call({ api }, method, route, { json, key = 'alice' } = {}) {
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const answer = await api.request(route, { method, headers, ...body });
      return { status: answer.status, body: await answer.json() };
    },
    async [Symbol.asyncDispose]() {
      const closed = workers.map(({ schedules }) => schedules.close(0));
      await clock.elapse(0);
      await Promise.all(closed);
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function authenticate(headers: Headers) {
  const [name, limit] = (headers.get('x-api-key') ?? '').split('-');
  if (name !== 'alice' && name !== 'bob') throw createError('unauthenticated', 'no such key');
  const accountId = name === 'alice' ? ALICE : BOB;
  const scopes = limit === 'read' ? (['read'] as const) : (['admin'] as const);
  return { kind: 'key' as const, keyId: 'key_1', accountId, scopes, isOperator: false };
}
