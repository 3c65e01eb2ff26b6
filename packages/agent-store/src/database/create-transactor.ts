import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from './agent-database.ts';
import type { AgentSchema } from './schema.ts';

/** Maximum number of work functions per transaction; later ones wait for the next. */
const WORKS_AT_ONCE = 256;

/** Runs `work` in a transaction: either all of it becomes durable, or nothing. */
export type Transactor = <Result>(work: (db: Kysely<AgentSchema>) => Promise<Result>) => Promise<Result>;

interface Waiting {
  work(db: Kysely<AgentSchema>): Promise<unknown>;
  readonly result: PromiseWithResolvers<unknown>;
}

/**
 * Creates a transactor. With SQLite, concurrent work shares a transaction, each with its own savepoint, so that the
 * disk is synced once rather than once per run. Postgres groups commits itself.
 */
export function createTransactor({ db, dialect }: Pick<AgentDatabase, 'db' | 'dialect'>): Transactor {
  if (dialect === 'postgres') return (work) => db.transaction().execute(work);
  let waiting: Waiting[] = [];
  let isRunning = false;
  const run = async () => {
    // Collects the requests that were read from their sockets in this turn of the event loop.
    await nextTurn();
    while (waiting.length > 0) {
      const works = waiting.slice(0, WORKS_AT_ONCE);
      waiting = waiting.slice(WORKS_AT_ONCE);
      await runTogether(db, works);
    }
    isRunning = false;
  };
  return (work) => {
    const result = Promise.withResolvers<unknown>();
    waiting.push({ work, result });
    if (!isRunning) {
      isRunning = true;
      void run();
    }
    return result.promise as ReturnType<typeof work>;
  };
}

/** Settles every work's result; never rejects. */
async function runTogether(db: Kysely<AgentSchema>, works: readonly Waiting[]): Promise<void> {
  const settled: (() => void)[] = [];
  try {
    await db.transaction().execute(async (transaction) => {
      const [only, ...others] = works;
      if (only && others.length === 0) {
        const value = await only.work(transaction);
        settled.push(() => only.result.resolve(value));
        return;
      }
      for (const { work, result } of works) {
        await sql`savepoint work`.execute(transaction);
        try {
          const value = await work(transaction);
          settled.push(() => result.resolve(value));
        } catch (error) {
          await sql`rollback to work`.execute(transaction);
          settled.push(() => result.reject(error));
        }
        await sql`release work`.execute(transaction);
      }
    });
    // The work is durable only after the commit.
    for (const settle of settled) settle();
  } catch (error) {
    for (const { result } of works) result.reject(error);
  }
}
