import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { ClaimTasks, NewTask, StoredTask, TaskEnd, TaskScope, TaskStore } from '../ports/task-store.ts';

type Db = Kysely<AgentSchema>;
type Where = ExpressionBuilder<AgentSchema, 'tasks'>;

/** The code of a unique violation. Source: the PostgreSQL manual, Appendix A. */
const UNIQUE_VIOLATION = '23505';

/** Creates the store of background tasks. */
export function createTaskStore({ db }: AgentDatabase): TaskStore {
  const inScope = (scope: TaskScope) => (eb: Where) =>
    typeof scope === 'string' ? eb('owner', '=', scope) : eb.lit(true);
  return {
    add: (task) => addTask(db, task),
    async find(scope, id) {
      const query = db.selectFrom('tasks').selectAll().where(inScope(scope)).where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row && toStoredTask(row);
    },
    async list(scope, { name, status, limit, afterId }) {
      let query = db.selectFrom('tasks').selectAll().where(inScope(scope)).orderBy('id', 'desc').limit(limit);
      if (name !== undefined) query = query.where('name', '=', name);
      if (status !== undefined) query = query.where('status', '=', status);
      if (afterId !== undefined) query = query.where('id', '<', afterId);
      return (await query.execute()).map(toStoredTask);
    },
    claim: (options) => claimTasks(db, options),
    async extend(holder, leaseUntilMs) {
      const rows = await db
        .updateTable('tasks')
        .set({ lease_until: leaseUntilMs })
        .where('holder', '=', holder)
        .where('status', '=', 'running')
        .returning(['id', 'attempt', 'cancel_requested'])
        .execute();
      return rows.map(({ id, attempt, cancel_requested }) => ({
        id,
        attempt,
        isCancelRequested: cancel_requested === 1,
      }));
    },
    async cancelRequests(holder) {
      const rows = await db
        .selectFrom('tasks')
        .select('id')
        .where('holder', '=', holder)
        .where('status', '=', 'running')
        .where('cancel_requested', '=', 1)
        .execute();
      return rows.map(({ id }) => id);
    },
    async setProgress(id, attempt, progress) {
      const { numUpdatedRows } = await db
        .updateTable('tasks')
        .set({ progress })
        .where((eb) => eb.and({ id, attempt, status: 'running' }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    settle: (id, attempt, end) => settleTask(db, id, attempt, end),
    async cancel(scope, id, { nowMs, expiresAtMs }) {
      const row = await db
        .updateTable('tasks')
        .set((eb) => {
          const whenPending = () => eb.case().when('status', '=', 'pending');
          return {
            cancel_requested: 1,
            status: whenPending()
              .then('cancelled' as const)
              .else(eb.ref('status'))
              .end(),
            ended_at: whenPending().then(nowMs).else(eb.ref('ended_at')).end(),
            expires_at: whenPending().then(expiresAtMs).else(eb.ref('expires_at')).end(),
          };
        })
        .where(inScope(scope))
        .where('id', '=', id)
        .where('status', 'in', ['pending', 'running'])
        .returningAll()
        .executeTakeFirst();
      return row && toStoredTask(row);
    },
    async retry(scope, id, nowMs) {
      const row = await db
        .updateTable('tasks')
        .set({
          status: 'pending',
          failures: 0,
          run_at: nowMs,
          cancel_requested: 0,
          ended_at: null,
          expires_at: null,
          error: null,
        })
        .where(inScope(scope))
        .where('id', '=', id)
        .where('status', 'in', ['failed', 'cancelled'])
        .returningAll()
        .executeTakeFirst();
      return row && toStoredTask(row);
    },
    async listExpired(names, nowMs, limit) {
      if (names.length === 0) return [];
      const rows = await db
        .selectFrom('tasks')
        .selectAll()
        .where('status', '=', 'running')
        .where('lease_until', '<', nowMs)
        .where('name', 'in', names)
        .orderBy('lease_until')
        .limit(limit)
        .execute();
      return rows.map(toStoredTask);
    },
    async nextDueMs(names) {
      if (names.length === 0) return undefined;
      const row = await db
        .selectFrom('tasks')
        .select('run_at')
        .where('status', '=', 'pending')
        .where('name', 'in', names)
        .orderBy('run_at')
        .limit(1)
        .executeTakeFirst();
      return row?.run_at;
    },
    async otherNames(names) {
      let query = db.selectFrom('tasks').select('name').distinct().where('status', 'in', ['pending', 'running']);
      if (names.length > 0) query = query.where('name', 'not in', names);
      return (await query.orderBy('name').limit(100).execute()).map(({ name }) => name);
    },
    async purge(nowMs) {
      await db.deleteFrom('tasks').where('expires_at', '<=', nowMs).execute();
    },
  };
}

async function addTask(db: Db, task: NewTask): ReturnType<TaskStore['add']> {
  const { id, owner, name, input, context, runAtMs, nowMs, idempotencyKey, concurrency } = task;
  const added = await db
    .insertInto('tasks')
    .values({
      ...EMPTY,
      id,
      owner,
      name,
      input,
      context: context ?? null,
      run_at: runAtMs,
      created_at: nowMs,
      concurrency_key: concurrency?.key ?? null,
      concurrency: concurrency?.limit ?? null,
      idempotency_key: idempotencyKey ?? null,
    })
    // The unique index over the idempotency keys decides between concurrent calls.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (added) return { task: toStoredTask(added), isNew: true };
  const earlier = await db
    .selectFrom('tasks')
    .selectAll()
    .where((eb) => eb.and({ owner, name, idempotency_key: idempotencyKey ?? '' }))
    .executeTakeFirst();
  // The earlier task was deleted between the two statements.
  return earlier ? { task: toStoredTask(earlier), isNew: false } : addTask(db, task);
}

/** The columns of a task that waits for its first attempt. */
const EMPTY = {
  status: 'pending',
  attempt: 0,
  failures: 0,
  started_at: null,
  ended_at: null,
  holder: null,
  lease_until: null,
  cancel_requested: 0,
  slot: null,
  progress: null,
  result: null,
  error: null,
  expires_at: null,
} as const;

async function claimTasks(db: Db, options: ClaimTasks): Promise<StoredTask[]> {
  const { names, nowMs, limit } = options;
  if (names.length === 0 || limit <= 0) return [];
  const ofKey = sql<number>`
    (select count(*) from tasks others where others.status = 'running' and others.concurrency_key = tasks.concurrency_key)`;
  const due = await db
    .selectFrom('tasks')
    .select(['id', 'concurrency_key', 'concurrency'])
    .where('status', '=', 'pending')
    .where('run_at', '<=', nowMs)
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('concurrency_key', 'is', null), eb(ofKey, '<', eb.ref('concurrency'))]))
    .orderBy('run_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  const claimed: StoredTask[] = [];
  for (const task of due) {
    const row = await claimTask(db, task, options);
    if (row) claimed.push(toStoredTask(row));
  }
  return claimed;
}

/** Claims one task; undefined when another instance was faster, or took the last slot of its key. */
async function claimTask(
  db: Db,
  { id, concurrency_key: key, concurrency }: Pick<AgentSchema['tasks'], 'id' | 'concurrency_key' | 'concurrency'>,
  { holder, nowMs, leaseUntilMs }: ClaimTasks,
): Promise<AgentSchema['tasks'] | undefined> {
  const slot = key === null ? null : await freeSlot(db, key, concurrency ?? 1);
  if (slot === undefined) return undefined;
  try {
    return await db
      .updateTable('tasks')
      .set((eb) => ({
        status: 'running',
        attempt: eb('attempt', '+', 1),
        started_at: nowMs,
        holder,
        lease_until: leaseUntilMs,
        slot,
      }))
      .where((eb) => eb.and({ id, status: 'pending' }))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('tasks as others')
              .select('others.id')
              .where('others.status', '=', 'running')
              .where('others.slot', '=', slot),
          ),
        ),
      )
      .returningAll()
      .executeTakeFirst();
  } catch (error) {
    // With Postgres, two instances may take the slot in statements that don't see each other.
    if ((error as { readonly code?: string }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}

async function freeSlot(db: Db, key: string, limit: number): Promise<string | undefined> {
  const rows = await db
    .selectFrom('tasks')
    .select('slot')
    .where('status', '=', 'running')
    .where('concurrency_key', '=', key)
    .execute();
  const taken = new Set(rows.map(({ slot }) => slot));
  for (let number = 0; number < limit; number++) if (!taken.has(`${number}:${key}`)) return `${number}:${key}`;
  return undefined;
}

async function settleTask(db: Db, id: string, attempt: number, end: TaskEnd): Promise<boolean> {
  const { nowMs, failures, error, expiresAtMs, leaseBeforeMs } = end;
  const update = (isCancelRequested?: 0 | 1) => {
    let query = db.updateTable('tasks').where((eb) => eb.and({ id, attempt, status: 'running' }));
    if (leaseBeforeMs !== undefined) query = query.where('lease_until', '<', leaseBeforeMs);
    if (isCancelRequested !== undefined) query = query.where('cancel_requested', '=', isCancelRequested);
    return query.set({ failures, holder: null, lease_until: null, slot: null, ...(error !== undefined && { error }) });
  };
  const ended = { ended_at: nowMs, expires_at: expiresAtMs };
  if (end.status === 'pending') {
    const released = await update(0).set({ status: 'pending', run_at: end.runAtMs }).executeTakeFirst();
    if (released.numUpdatedRows > 0n) return true;
    const cancelled = await update(1)
      .set({ status: 'cancelled', ...ended })
      .executeTakeFirst();
    return cancelled.numUpdatedRows > 0n;
  }
  const result = end.status === 'succeeded' ? { result: end.result ?? null, error: null } : {};
  const { numUpdatedRows } = await update()
    .set({ status: end.status, ...ended, ...result })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toStoredTask(row: AgentSchema['tasks']): StoredTask {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    status: row.status,
    input: row.input,
    ...(row.context !== null && { context: row.context }),
    attempt: row.attempt,
    failures: row.failures,
    runAtMs: row.run_at,
    createdAtMs: row.created_at,
    ...(row.started_at !== null && { startedAtMs: row.started_at }),
    ...(row.ended_at !== null && { endedAtMs: row.ended_at }),
    isCancelRequested: row.cancel_requested === 1,
    ...(row.progress !== null && { progress: row.progress }),
    ...(row.result !== null && { result: row.result }),
    ...(row.error !== null && { error: row.error }),
  };
}
