// A worker thread with a connection of its own, which writes the heartbeats of its process's turns and extends the leases of its tasks.
// A tool that blocks the main thread doesn't hold it up, and it ends with the process. It imports little, so that it starts fast and stays small.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Client } from 'pg';
import type { HeartbeatReport, HeartbeatRequest, HeartbeatThreadData } from './heartbeats.ts';

/** Pause after a failed heartbeat: the sooner the next one, the less likely is a takeover. */
const RETRY_MS = 1_000;
/** Timeout of connecting and of each query. This thread never blocks, so a late timer means a late answer. */
const TIMEOUT_MS = 5_000;

/** The thread ends after this many intervals without a run or a task. */
const IDLE_BEATS = 6;

/** A run or a task that is kept alive. */
interface Kept {
  readonly isTask: boolean;
  isBegun: boolean;
  readonly untilMs: number;
}

/** A connection that writes heartbeats. */
interface HeartbeatWriter {
  /** Records a heartbeat of these runs; returns those that this process no longer executes. */
  beat(runIds: readonly string[], nowMs: number): Promise<readonly string[]>;
  /** Extends the leases of those of these tasks that this process runs. */
  extend(taskIds: readonly string[], leaseUntilMs: number): Promise<void>;
  close(): Promise<void>;
}

const { place, instance, nowMs, intervalMs, keepMs, leaseMs } = workerData as HeartbeatThreadData;
const port = parentPort as NonNullable<typeof parentPort>;
const report = (message: HeartbeatReport) => port.postMessage(message);
/** The agent's clock may differ from the system's; heartbeats are compared with the agent's. */
const aheadMs = nowMs - Date.now();
const kept = new Map<string, Kept>();
let writer: HeartbeatWriter | undefined;
/** A run is stored with its first heartbeat, and a task with its lease, so the next one is due an interval later. */
let timer: NodeJS.Timeout | undefined = setTimeout(beat, intervalMs);
let isFailing = false;
let idleBeats = 0;
let isClosed = false;

port.on('message', (request: HeartbeatRequest) => {
  if (request[0] === 'close') return void close();
  const untilMs = (forMs: number) => performance.now() + forMs;
  if (request[0] === 'lease') {
    const [, taskId, forMs] = request;
    return void kept.set(taskId, { isTask: true, isBegun: true, untilMs: untilMs(forMs) });
  }
  const [kind, runId] = request;
  if (kind === 'remove') kept.delete(runId);
  if (kind === 'add') kept.set(runId, { isTask: false, isBegun: false, untilMs: untilMs(keepMs) });
  const run = kept.get(runId);
  if (run && kind === 'begun') run.isBegun = true;
});

async function beat(): Promise<void> {
  let delayMs = intervalMs;
  try {
    for (const [id, { untilMs }] of kept) if (untilMs < performance.now()) kept.delete(id);
    if (kept.size === 0) {
      const idle = writer;
      writer = undefined;
      timer = ++idleBeats < IDLE_BEATS ? setTimeout(beat, intervalMs) : undefined;
      // A thread without work gives its memory back. The next run or task starts another one.
      if (!timer) port.close();
      return void (await idle?.close().catch(() => {}));
    }
    idleBeats = 0;
    const runs = [...kept].filter(([, { isTask }]) => !isTask);
    const begun = runs.flatMap(([runId, { isBegun }]) => (isBegun ? [runId] : []));
    const tasks = [...kept].flatMap(([taskId, { isTask }]) => (isTask ? [taskId] : []));
    writer ??= await open();
    const atMs = Date.now() + aheadMs;
    if (tasks.length > 0) await writer.extend(tasks, atMs + leaseMs);
    const runIds = runs.map(([runId]) => runId);
    const missing = new Set(runIds.length > 0 ? await writer.beat(runIds, atMs) : []);
    const lost = begun.filter((runId) => missing.has(runId) && kept.delete(runId));
    if (lost.length > 0) report({ lost });
    if (isFailing) report({ recovered: true });
    isFailing = false;
  } catch (error) {
    delayMs = Math.min(RETRY_MS, intervalMs);
    await writer?.close().catch(() => {});
    writer = undefined;
    if (!isFailing) report({ failed: error instanceof Error ? error.message : String(error) });
    isFailing = true;
  }
  if (!isClosed) timer = setTimeout(beat, delayMs);
}

async function close(): Promise<void> {
  isClosed = true;
  clearTimeout(timer);
  // The thread ends when nothing is open.
  port.close();
  await writer?.close().catch(() => {});
}

function open(): Promise<HeartbeatWriter> {
  return 'file' in place ? openSqlite(place.file) : openPostgres(place.url, place.schema);
}

async function openSqlite(file: string): Promise<HeartbeatWriter> {
  const database = new DatabaseSync(file, { timeout: TIMEOUT_MS });
  // A heartbeat that a power failure takes away is one of a process that is gone as well.
  database.exec('pragma synchronous = normal');
  const statement = database.prepare(
    `update runs set heartbeat_at = ? where id in (select value from json_each(?)) and status = 'running'
      and instance = ? returning id`,
  );
  const lease = database.prepare(
    `update tasks set lease_until = ? where id in (select value from json_each(?)) and status = 'running' and holder = ?`,
  );
  return {
    async extend(taskIds, leaseUntilMs) {
      lease.run(leaseUntilMs, JSON.stringify(taskIds), instance);
    },
    async beat(runIds, atMs) {
      const alive = new Set(statement.all(atMs, JSON.stringify(runIds), instance).map(({ id }) => id));
      return runIds.filter((runId) => !alive.has(runId));
    },
    async close() {
      database.close();
    },
  };
}

async function openPostgres(url: string, schema: string): Promise<HeartbeatWriter> {
  const { Client: PostgresClient } = (await import('pg')).default;
  const connect = async (timeoutMs?: number) => {
    const client: Client = new PostgresClient({
      connectionString: url,
      connectionTimeoutMillis: TIMEOUT_MS,
      ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
    });
    // Without a listener the error of a broken connection would end the thread; the next query reports it too.
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const client = await connect(TIMEOUT_MS);
  const runs = `${client.escapeIdentifier(schema)}.runs`;
  const tasks = `${client.escapeIdentifier(schema)}.tasks`;
  const own = `id = any($1) and status = 'running' and instance = $2`;
  const locked = new Set<string>();
  let waiting: Client | undefined;
  /**
   * Writes the heartbeat of each locked run when its lock ends. It waits for a lock before any other instance does, whose turn comes
   * when the run has no heartbeat for 30 s; so the heartbeat is the first write after the lock. It holds one lock at a time.
   */
  const waitForLocks = async () => {
    waiting ??= await connect();
    for (const runId of locked) {
      await waiting.query('begin');
      await waiting.query(`select from ${runs} where ${own} for no key update`, [[runId], instance]);
      await waiting.query(`update ${runs} set heartbeat_at = $3 where ${own}`, [
        [runId],
        instance,
        Date.now() + aheadMs,
      ]);
      await waiting.query('commit');
      locked.delete(runId);
    }
  };
  return {
    async extend(taskIds, leaseUntilMs) {
      // A row is locked for no longer than the write of one statement, so the next heartbeat finds it free.
      await client.query(
        `update ${tasks} set lease_until = $3 where id in (
          select id from ${tasks} where id = any($1) and status = 'running' and holder = $2 for no key update skip locked
        )`,
        [taskIds, instance, leaseUntilMs],
      );
    },
    async beat(runIds, atMs) {
      // A locked row is part of a transaction, maybe one that the blocked main thread holds open. Waiting for it here would hold
      // up the heartbeats of all other runs.
      const { rows } = await client.query<{ readonly id: string; readonly is_locked: boolean }>(
        `with free as (
          select id from ${runs} where ${own} for no key update skip locked
        ), beaten as (
          update ${runs} set heartbeat_at = $3 where id in (select id from free)
        )
        select id, id not in (select id from free) as is_locked from ${runs} where ${own}`,
        [runIds, instance, atMs],
      );
      const isWaiting = locked.size > 0;
      for (const { id, is_locked } of rows) if (is_locked) locked.add(id);
      if (locked.size > 0 && !isWaiting) {
        void waitForLocks()
          .catch(() => locked.clear())
          .finally(async () => {
            await waiting?.end().catch(() => {});
            waiting = undefined;
          });
      }
      const alive = new Set(rows.map(({ id }) => id));
      return runIds.filter((runId) => !alive.has(runId));
    },
    async close() {
      await Promise.all([client.end(), waiting?.end()]);
    },
  };
}
