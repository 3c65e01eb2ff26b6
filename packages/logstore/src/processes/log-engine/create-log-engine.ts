import { type ChildProcess, fork } from 'node:child_process';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createError } from '@berth/contract';
import type { Clock, Logger, Timer } from '@berth/kit';
import type { EngineAnswer, EngineKind, EngineRequest, EngineResult } from './engine-protocol.ts';

/** Writes and reads Parquet segments. */
export interface LogEngine {
  /** Writes a Parquet segment. @throws Error when that failed; the sources are unchanged. */
  write(request: EngineRequest<'write'>): Promise<EngineResult<'write'>>;
  /** Returns what a Parquet segment contains; undefined when it has no rows. @throws Error when it can't be read. */
  inspect(path: string): Promise<EngineResult<'inspect'>>;
  /**
   * Returns matching entries of Parquet segments.
   * @throws Error with code `ENOENT` when a file is gone; BerthError `unavailable` when it takes too long; the signal's
   * reason; any other error when the files can't be read.
   */
  select(request: EngineRequest<'select'>, signal?: AbortSignal): Promise<EngineResult<'select'>>;
  /** Counts matching entries. @throws as {@link LogEngine.select} */
  count(request: EngineRequest<'count'>, signal?: AbortSignal): Promise<EngineResult<'count'>>;
  /** Tallies the fields of matching entries. @throws as {@link LogEngine.select} */
  survey(request: EngineRequest<'survey'>, signal?: AbortSignal): Promise<EngineResult<'survey'>>;
  /** Ends the process; pending requests are rejected. Idempotent. */
  close(): void;
}

export interface LogEngineOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Memory limit of DuckDB, in MiB; its program takes about 100 MiB more. */
  readonly memoryMib?: number;
  readonly threads?: number;
  /** Timeout of a read, in milliseconds: a long one keeps the processors from all other reads. */
  readonly selectTimeoutMs?: number;
}

/** The process ends after this long without a request, so that its memory is free for services. */
const IDLE_MS = 30_000;

const TOO_LONG = 'The search timed out. Narrow it by timestamp or severity, or search for fewer words.';

const MAIN = fileURLToPath(new URL('./engine-main.ts', import.meta.url));

/**
 * Creates a client of DuckDB in a process of its own: started with the first request, ended when idle, restarted after
 * a crash. The process that serves requests never loads DuckDB, nor blocks on it.
 */
export function createLogEngine(options: LogEngineOptions): LogEngine {
  const { clock, logger, memoryMib = 512, threads = 2, selectTimeoutMs = 30_000 } = options;
  const pending = new Map<number, PromiseWithResolvers<EngineResult>>();
  let child: ChildProcess | undefined;
  let idle: Timer | undefined;
  let lastId = 0;
  let isClosed = false;

  function start(): ChildProcess {
    const started = fork(MAIN, [String(memoryMib), String(threads)], {
      // The process gets no environment: it needs none of the platform's secrets.
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    started.on('message', (answer: EngineAnswer) => settle(answer));
    started.on('error', (error) => {
      logger.error({ error: error.message }, 'the log engine does not start or respond');
      if (child === started) end();
      rejectAll();
    });
    started.on('exit', (code, signal) => {
      if (child !== started) return;
      child = undefined;
      if (pending.size === 0) return;
      logger.warn({ code, signal }, 'the log engine ended while it was working');
      rejectAll();
    });
    return started;
  }

  function settle(answer: EngineAnswer): void {
    const waiting = pending.get(answer.id);
    pending.delete(answer.id);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
    if (pending.size > 0) return;
    holdParent(false);
    idle?.cancel();
    idle = clock.setTimer(IDLE_MS, end);
  }

  /** Makes the engine keep this process alive only while it has work. */
  function holdParent(isHeld: boolean): void {
    const method = isHeld ? 'ref' : 'unref';
    child?.[method]();
    child?.channel?.[method]();
  }

  function rejectAll(): void {
    for (const waiting of pending.values())
      waiting.reject(createError('unavailable', 'The log engine stopped. Try again.'));
    pending.clear();
  }

  function end(): void {
    child?.kill('SIGKILL');
    child = undefined;
  }

  async function ask<Kind extends EngineKind>(
    kind: Kind,
    request: EngineRequest<Kind>,
    signal?: AbortSignal,
  ): Promise<EngineResult<Kind>> {
    signal?.throwIfAborted();
    if (isClosed) throw createError('unavailable', 'The log engine is closed.');
    idle?.cancel();
    child ??= start();
    holdParent(true);
    const id = ++lastId;
    const waiting = Promise.withResolvers<EngineResult>();
    pending.set(id, waiting);
    // The caller does not wait for the engine to confirm.
    const cancel = () => {
      child?.send({ cancel: id });
      pending.delete(id);
      waiting.reject(signal?.reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      child.send({ id, kind, request });
      return (await waiting.promise) as EngineResult<Kind>;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async function read<Kind extends 'select' | 'count' | 'survey'>(
    kind: Kind,
    request: EngineRequest<Kind>,
    signal: AbortSignal | undefined,
  ): Promise<EngineResult<Kind>> {
    const tooLong = new AbortController();
    const timer = clock.setTimer(selectTimeoutMs, () => tooLong.abort());
    const ends = signal ? AbortSignal.any([signal, tooLong.signal]) : tooLong.signal;
    try {
      return await ask(kind, request, ends);
    } catch (error) {
      signal?.throwIfAborted();
      if (tooLong.signal.aborted) throw createError('unavailable', TOO_LONG);
      // DuckDB reports a missing file in its message only.
      await Promise.all(request.files.map((file) => access(typeof file === 'string' ? file : file.path)));
      throw error;
    } finally {
      timer.cancel();
    }
  }

  return {
    inspect: (path) => ask('inspect', path),
    write: (request) => ask('write', request),
    select: (request, signal) => read('select', request, signal),
    count: (request, signal) => read('count', request, signal),
    survey: (request, signal) => read('survey', request, signal),
    close() {
      isClosed = true;
      idle?.cancel();
      end();
      rejectAll();
    },
  };
}
