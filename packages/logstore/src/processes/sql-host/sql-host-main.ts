import { writeFileSync } from 'node:fs';
import { BerthError, describeError } from '@berth/kit';
import { runQuery, toUnreadable } from '../../query/sql/run-query.ts';
import { createEngineSlot } from './engine-slot.ts';
import type { FromSqlHost, ToSqlHost } from './sql-host.ts';

/**
 * The process that runs queries: memory that a query takes, and crashes of the engine, end here and not in the server.
 * It runs one query at a time, in an engine made for the query's account, which sees only that account's files.
 */
const engines = createEngineSlot();
const running = new Map<number, AbortController>();

const send = (message: FromSqlHost) => {
  // Without a server there is no recipient.
  if (process.connected) process.send?.(message);
};

async function run(message: Extract<ToSqlHost, { kind: 'run' }>): Promise<void> {
  const { id, account, sandbox, setUp, query, limits } = message;
  const cancel = new AbortController();
  running.set(id, cancel);
  try {
    const json = await engines.use(account, sandbox, async (engine) => {
      // A view of files opens the first of them.
      await engine.setUp(setUp).catch((error: unknown) => Promise.reject(toUnreadable(error)));
      const connection = await engine.connect();
      try {
        return await runQuery(connection, query, limits, cancel.signal);
      } finally {
        connection.closeSync();
      }
    });
    send({ kind: 'rows', id, json });
  } catch (error) {
    const isForCaller = error instanceof BerthError;
    send({
      kind: 'failed',
      id,
      message: isForCaller ? error.message : String(describeError(error)),
      ...(isForCaller ? { code: error.code, ...(error.details ? { details: error.details } : {}) } : {}),
    });
  } finally {
    running.delete(id);
  }
}

process.on('message', (message: ToSqlHost) => {
  if (message.kind === 'run') void run(message);
  else running.get(message.id)?.abort(new Error('cancelled'));
});
// When the machine runs out of memory, the kernel kills this process first. The file exists on Linux only.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}
send({ kind: 'ready' });

// Without its server the process ends by itself, as soon as nothing runs.
process.on('disconnect', () => {
  for (const query of running.values()) query.abort(new Error('cancelled'));
  engines.close();
});
// A signal to the server's process group must not end this process in the middle of a result.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
