import { type ChildProcess, fork } from 'node:child_process';
import { createValidationError, type ValidationIssue } from '@berth/contract';
import { type Clock, createDeferred, type Deferred, type Logger, type Timer } from '@berth/kit';
import { createQueryLine, type QueryLineLimits } from '../../query-line.ts';
import type { SetUpStatement } from '../open-sandbox.ts';
import type { SqlLimits } from '../run-query.ts';
import { queryError, queryUnavailable } from '../sql-error.ts';
import type { FromSqlHost, ToSqlHost } from './sql-messages.ts';

/** An account's relations at one moment. */
export interface Relations {
  readonly setUp: readonly SetUpStatement[];
  /** All files that a query reads are below one of them, and nobody else's are. The files must stay until {@link release}. */
  readonly allowedFolders: readonly string[];
  /** What reading all of them would come to. */
  readonly bytes: number;
  release(): void;
}

export interface SqlRunnerLimits extends SqlLimits, QueryLineLimits {
  readonly memoryBytes: number;
  readonly threads: number;
  /** Bytes of files that one query may have before it. */
  readonly scannedBytes: number;
  /** Idle for so long, the process that runs queries ends: it holds fifty megabytes. */
  readonly idleMs: number;
}

export const DEFAULT_SQL_LIMITS: SqlRunnerLimits = {
  timeoutMs: 60_000,
  rows: 100_000,
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
  relationsOf(account: string): Promise<Relations>;
}

/** Runs SQL of accounts, each over its own rows, in a process beside the server. */
export interface SqlRunner {
  /**
   * Rows as the text of a JSON array of objects, their keys in column order.
   * @throws `invalid` at the query; `too_many_requests`; `unavailable`; the signal's reason.
   */
  run(account: string, query: string, signal: AbortSignal): Promise<string>;
  /** Ends what runs. Idempotent. */
  close(): Promise<void>;
}

type RunMessage = Omit<Extract<ToSqlHost, { kind: 'run' }>, 'kind' | 'id' | 'limits'>;

/** A query that was told to end gets this long; then its process is ended, and what else runs there with it. */
const PATIENCE_MS = 5_000;

export function createSqlRunner(options: CreateSqlRunnerOptions): SqlRunner {
  const { clock, logger, relationsOf } = options;
  const limits: SqlRunnerLimits = { ...DEFAULT_SQL_LIMITS, ...options.limits };
  const line = createQueryLine({ ...limits, what: 'queries' });
  const pending = new Map<number, Deferred<string>>();
  let child: ChildProcess | undefined;
  let idleTimer: Timer | undefined;
  let lastId = 0;
  let isClosed = false;

  function host(): ChildProcess {
    if (child) return child;
    const started = fork(new URL(`./sql-host-main${import.meta.url.slice(-3)}`, import.meta.url), {
      // Nothing of the server's own environment is needed, and nothing of it can be read from a query.
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    started.on('message', (message: FromSqlHost) => settle(message));
    const onGone = () => {
      if (child === started) child = undefined;
      for (const [id, query] of pending) {
        pending.delete(id);
        query.reject(queryUnavailable('The query engine had to be restarted. Try again.'));
      }
    };
    started.once('exit', onGone);
    started.once('error', (error) => {
      logger.error({ error: error.message }, 'the query engine can not be started');
      onGone();
    });
    child = started;
    return started;
  }

  function settle(message: FromSqlHost): void {
    const query = pending.get(message.id);
    pending.delete(message.id);
    if (message.kind === 'rows') {
      query?.resolve(message.json);
      return;
    }
    const { code, details, message: text } = message;
    if (code === 'invalid') {
      const issues = details?.['issues'] as readonly ValidationIssue[] | undefined;
      query?.reject(issues ? createValidationError(issues) : queryError(text));
    } else {
      if (code === undefined) logger.error({ error: text }, 'a query failed by a fault of the engine');
      query?.reject(queryUnavailable('The logs can not be queried now. Try again in a moment.'));
    }
  }

  async function execute(message: RunMessage, signal: AbortSignal): Promise<string> {
    const id = ++lastId;
    const answer = createDeferred<string>();
    pending.set(id, answer);
    const engine = host();
    const tell = (message: ToSqlHost) => {
      if (engine.connected) engine.send(message);
    };
    const lastResort = clock.setTimer(limits.timeoutMs + PATIENCE_MS, () => engine.kill('SIGKILL'));
    let patience: Timer | undefined;
    const onAbort = () => {
      tell({ kind: 'cancel', id });
      patience = clock.setTimer(PATIENCE_MS, () => engine.kill('SIGKILL'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      tell({ kind: 'run', id, ...message, limits });
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      lastResort.cancel();
      patience?.cancel();
    }
  }

  function restLater(): void {
    idleTimer?.cancel();
    if (pending.size > 0 || isClosed) return;
    idleTimer = clock.setTimer(limits.idleMs, () => {
      if (pending.size === 0) child?.disconnect();
    });
  }

  return {
    async run(account, query, signal) {
      if (isClosed) throw queryUnavailable('The platform is shutting down.');
      const leave = await line.enter(account, signal);
      try {
        const relations = await relationsOf(account);
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
        } finally {
          relations.release();
        }
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        leave();
        restLater();
      }
    },
    async close() {
      isClosed = true;
      idleTimer?.cancel();
      const engine = child;
      if (!engine || engine.exitCode !== null) return;
      const gone = new Promise<void>((resolve) => engine.once('exit', () => resolve()));
      engine.kill('SIGKILL');
      await gone;
    },
  };
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
