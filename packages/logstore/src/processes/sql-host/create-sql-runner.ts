import { LIMITS } from '@berth/contract/limits';
import type { Clock, Logger, Timer } from '@berth/kit';
import { createQueryLimiter, type QueryLimits } from '../../limits/query-limiter.ts';
import type { SetUpStatement } from '../../query/sql/open-sandbox.ts';
import type { SqlLimits } from '../../query/sql/run-query.ts';
import { isMemoryError, isUnreadableError, queryError, queryUnavailable } from '../../query/sql/sql-error.ts';
import { type BoundMemory, boundMemory } from './bound-memory.ts';
import { createSqlHost, type RunMessage, type SqlHost } from './sql-host.ts';

/** An account's relations at one moment. */
export interface Relations {
  readonly setUp: readonly SetUpStatement[];
  /**
   * Every file that a query reads is below one of these, and no other account's files are. The files stay until {@link
   * release}.
   */
  readonly allowedFolders: readonly string[];
  /** Total size of the files. */
  readonly bytes: number;
  release(): void;
}

export interface SqlRunnerLimits extends SqlLimits, QueryLimits {
  readonly threads: number;
  /** Maximum total size of the files of one query. */
  readonly scannedBytes: number;
  /** A process ends after this long without a query: it takes about ninety megabytes. */
  readonly idleMs: number;
}

export const DEFAULT_SQL_LIMITS: SqlRunnerLimits = {
  timeoutMs: 60_000,
  rows: LIMITS.sqlRows,
  answerBytes: 64 * 2 ** 20,
  memoryBytes: 512 * 2 ** 20,
  threads: 2,
  scannedBytes: 64 * 2 ** 30,
  running: 4,
  runningPerAccount: 2,
  waitingPerAccount: 20,
  idleMs: 30_000,
};

export interface CreateSqlRunnerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<SqlRunnerLimits>;
  /** Limits a process's memory. Default: {@link boundMemory}. */
  readonly boundMemory?: BoundMemory;
  /** @param isExamined true when a query met a file that it couldn't read: such files are left out. */
  relationsOf(account: string, isExamined: boolean): Promise<Relations>;
}

/** Runs SQL queries of accounts, each over its own rows, in child processes. */
export interface SqlRunner {
  /**
   * Returns rows as the text of a JSON array of objects, with keys in column order.
   * @throws `invalid` at the query; `too_many_requests`; `unavailable`; the signal's reason.
   */
  run(account: string, query: string, signal: AbortSignal): Promise<string>;
  /** Ends running queries. Idempotent. */
  close(): Promise<void>;
}

const CLOSED = 'The platform is shutting down.';

/** A process, and the account that uses it. */
interface Seat {
  readonly host: SqlHost;
  account: string;
  queries: number;
  isTaken: boolean;
  idleTimer?: Timer;
}

/**
 * Creates a runner that gives each query a process of its own while it runs. Up to {@link SqlRunnerLimits.running}
 * processes are kept for later queries.
 */
export function createSqlRunner(options: CreateSqlRunnerOptions): SqlRunner {
  const { clock, logger, relationsOf } = options;
  const limits: SqlRunnerLimits = { ...DEFAULT_SQL_LIMITS, ...options.limits };
  const limiter = createQueryLimiter(limits, 'queries');
  /** Least recently used first. */
  let seats: Seat[] = [];
  let isClosed = false;

  function drop(seat: Seat): Promise<void> {
    seat.idleTimer?.cancel();
    seats = seats.filter((other) => other !== seat);
    return seat.host.end();
  }

  /**
   * Returns the idle process that the account used before, whose engine may still be open; else a new one; else the one
   * idle for longest.
   */
  function take(account: string, isNew: boolean): Seat {
    for (const seat of seats) if (seat.host.isOver) void drop(seat);
    const idle = seats.filter((seat) => !seat.isTaken);
    if (isNew && seats.length >= limits.running && idle[0]) void drop(idle[0]);
    const kept = isNew ? undefined : idle.findLast((seat) => seat.account === account);
    const seat = kept ?? (seats.length < limits.running ? open(account) : idle[0]);
    if (!seat) throw new Error('more queries run than there are processes for');
    seat.idleTimer?.cancel();
    Object.assign(seat, { account, isTaken: true, queries: seat.queries + 1 });
    return seat;
  }

  function open(account: string): Seat {
    const host = createSqlHost({ clock, logger, limits, boundMemory: options.boundMemory ?? boundMemory });
    const seat = { host, account, queries: 0, isTaken: false };
    seats.push(seat);
    return seat;
  }

  function giveBack(seat: Seat): void {
    seat.isTaken = false;
    if (seat.host.isOver) {
      void drop(seat);
      return;
    }
    seats = [...seats.filter((other) => other !== seat), seat];
    seat.idleTimer = clock.setTimer(limits.idleMs, () => void drop(seat));
  }

  /** @param isNew in a process that has run no query yet. */
  async function execute(message: RunMessage, signal: AbortSignal, isNew = false): Promise<string> {
    if (isClosed) throw queryUnavailable(CLOSED);
    const seat = take(message.account, isNew);
    try {
      return await seat.host.run(message, signal);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      // Memory that earlier queries left in the process must not count against this one: allocators don't return it.
      await drop(seat);
      if (seat.queries === 1) throw error;
      return await execute(message, signal, true);
    } finally {
      giveBack(seat);
    }
  }

  async function ask(account: string, query: string, signal: AbortSignal, isExamined = false): Promise<string> {
    const relations = await relationsOf(account, isExamined);
    try {
      if (relations.bytes > limits.scannedBytes) {
        throw queryError(
          `The logs to search are ${gibibytes(relations.bytes)}; a query may have ${gibibytes(limits.scannedBytes)} before it.`,
          'scan_too_large',
        );
      }
      const { setUp, allowedFolders } = relations;
      const { memoryBytes, threads } = limits;
      return await execute({ account, query, setUp, sandbox: { allowedFolders, memoryBytes, threads } }, signal);
    } catch (error) {
      if (isExamined || !isUnreadableError(error) || signal.aborted) throw error;
    } finally {
      relations.release();
    }
    // Files are examined after one failed, not before each query: opening them all takes longer than most queries.
    return await ask(account, query, signal, true);
  }

  return {
    async run(account, query, signal) {
      if (isClosed) throw queryUnavailable(CLOSED);
      using _slot = await limiter.acquire({ key: account, signal });
      try {
        return await ask(account, query, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(seats.map(drop));
    },
  };
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
