import { fork } from 'node:child_process';
import { createValidationError, type ValidationIssue } from '@berth/contract';
import type { Clock, Logger, Timer } from '@berth/kit';
import type { SandboxOptions, SetUpStatement } from '../../query/sql/open-sandbox.ts';
import type { SqlLimits } from '../../query/sql/run-query.ts';
import { memoryError, queryError, queryUnavailable, timeoutError, unreadableError } from '../../query/sql/sql-error.ts';
import type { BoundMemory } from './bound-memory.ts';

/** Messages from the server to the process that runs its queries. */
export type ToSqlHost =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly account: string;
      readonly sandbox: SandboxOptions;
      readonly setUp: readonly SetUpStatement[];
      readonly query: string;
      readonly limits: SqlLimits;
    }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromSqlHost =
  /** Everything is loaded; no query was received yet. */
  | { readonly kind: 'ready' }
  /** `json` is an array of row objects. */
  | { readonly kind: 'rows'; readonly id: number; readonly json: string }
  /** `code` and `details` are set for errors that concern the caller. */
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly code?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };

export interface CreateSqlHostOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: SqlLimits;
  readonly boundMemory: BoundMemory;
}

export type RunMessage = Omit<Extract<ToSqlHost, { kind: 'run' }>, 'kind' | 'id' | 'limits'>;

/**
 * A child process that runs queries.
 *
 * Invariants:
 * 1. It runs one query at a time, so what a query does to its process affects no other query.
 * 2. Its memory is limited before the first query reaches it.
 * 3. After {@link isOver} it runs no more queries.
 */
export interface SqlHost {
  /** True when the process has ended or is ending. */
  readonly isOver: boolean;
  /**
   * Returns rows as the text of a JSON array.
   * @throws `invalid` at the query, also when it ended the process by its memory or time; `unavailable`.
   */
  run(message: RunMessage, signal: AbortSignal): Promise<string>;
  /** Ends the process and its query. Resolves when it has ended. Idempotent. */
  end(): Promise<void>;
}

/** Grace period of an interrupted query before its process is killed. */
const PATIENCE_MS = 5_000;

/**
 * Memory of the process beside the engine's own: a result of 64 MiB in transfer, thread stacks, and allocations that
 * the engine does not count.
 */
const BESIDE_BYTES = 256 * 2 ** 20;

/** Matches the last output of V8, the C++ runtime and the C library after a failed allocation. */
const OUT_OF_MEMORY = /out of memory|bad_alloc|cannot allocate memory|resource temporarily unavailable/i;
const LAST_WORDS_CHARACTERS = 8_192;

export function createSqlHost({ clock, logger, limits, boundMemory }: CreateSqlHostOptions): SqlHost {
  const child = fork(new URL('./sql-host-main.ts', import.meta.url), {
    // The process gets no environment, so a query can't read one.
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const loaded = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let pending: { readonly id: number; readonly answer: PromiseWithResolvers<string> } | undefined;
  let lastId = 0;
  let lastWords = '';
  let isOver = false;
  /** Set when the query itself caused the end of the process. */
  let cause: Error | undefined;

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS_CHARACTERS);
  });
  child.on('message', (message: FromSqlHost) => {
    if (message.kind === 'ready') loaded.resolve();
    else if (message.id === pending?.id) settle(pending.answer, message);
  });
  child.once('error', (error) => {
    logger.error({ error: error.message }, 'the query engine cannot be started');
    onGone(restarted());
  });
  // `close` comes after the last output was read. A process killed from outside has none.
  child.once('close', (code, signal) => {
    const isMemory = signal !== 'SIGKILL' && OUT_OF_MEMORY.test(lastWords);
    if (!isOver) {
      const fields = { code, signal, lastWords: lastWords.slice(0, 500) };
      if (isMemory) logger.info(fields, 'the query engine ran out of memory');
      else logger.error(fields, 'the query engine crashed');
    }
    onGone(cause ?? (isMemory ? memoryError(limits.memoryBytes) : restarted()));
  });

  function onGone(error: Error): void {
    isOver = true;
    loaded.reject(error);
    pending?.answer.reject(error);
    gone.resolve();
  }

  function settle(answer: PromiseWithResolvers<string>, message: Exclude<FromSqlHost, { kind: 'ready' }>): void {
    if (message.kind === 'rows') {
      answer.resolve(message.json);
      return;
    }
    const { code, details, message: text } = message;
    if (code === 'invalid') {
      const issues = details?.['issues'] as readonly ValidationIssue[] | undefined;
      answer.reject(issues ? createValidationError(issues) : queryError(text));
    } else if (code === 'unavailable') {
      answer.reject(unreadableError(text));
    } else {
      logger.error({ error: text }, 'a query failed because of an engine error');
      answer.reject(queryUnavailable("Couldn't query the logs. Try again in a moment."));
    }
  }

  function endFor(error?: Error): void {
    isOver = true;
    cause ??= error;
    child.kill('SIGKILL');
  }

  const bounded = loaded.promise.then(() => boundMemory(clock, child.pid ?? 0, limits.memoryBytes + BESIDE_BYTES));
  // A process that fails before its first query fails that query.
  bounded.catch(() => {});

  return {
    get isOver() {
      return isOver;
    },
    async run(message, signal) {
      const bound = await bounded;
      signal.throwIfAborted();
      const id = ++lastId;
      const answer = Promise.withResolvers<string>();
      if (isOver) throw restarted();
      pending = { id, answer };
      const tell = (told: ToSqlHost) => {
        if (child.connected) child.send(told);
      };
      const lastResort = clock.setTimer(limits.timeoutMs + PATIENCE_MS, () => endFor(timeoutError(limits.timeoutMs)));
      let patience: Timer | undefined;
      const onAbort = () => {
        tell({ kind: 'cancel', id });
        patience = clock.setTimer(PATIENCE_MS, () => endFor());
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const stopWatching = bound.watch(() => endFor(memoryError(limits.memoryBytes)));
      try {
        tell({ kind: 'run', id, ...message, limits });
        return await answer.promise;
      } finally {
        pending = undefined;
        stopWatching();
        signal.removeEventListener('abort', onAbort);
        lastResort.cancel();
        patience?.cancel();
      }
    },
    async end() {
      endFor();
      await gone.promise;
    },
  };
}

function restarted(): Error {
  return queryUnavailable('The query engine had to be restarted. Try again.');
}
