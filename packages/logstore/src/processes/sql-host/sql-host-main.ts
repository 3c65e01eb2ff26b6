import { writeFileSync } from 'node:fs';
import { BerthError, describeError } from '@berth/kit';
import { runQuery } from '../../query/sql/run-query.ts';
import { createEngineSlot } from './engine-slot.ts';
import type { FromSqlHost, ToSqlHost } from './sql-messages.ts';

/**
 * A process of its own for the engine: what a query does to the memory, or the engine to itself, ends here and not in the
 * server. It runs one query at a time, in an engine made for the query's account, which sees that account's files only.
 */
const engines = createEngineSlot();
const running = new Map<number, AbortController>();

const send = (message: FromSqlHost) => {
  // Without a server there is nobody to answer.
  if (process.connected) process.send?.(message);
};

async function run(message: Extract<ToSqlHost, { kind: 'run' }>): Promise<void> {
  const { id, account, sandbox, setUp, query, limits } = message;
  const cancel = new AbortController();
  running.set(id, cancel);
  try {
    const json = await engines.use(account, sandbox, async (engine) => {
      await engine.setUp(setUp);
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
      ...{ kind: 'failed', id, message: isForCaller ? error.message : String(describeError(error)) },
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
// Where the machine itself runs out of memory, the kernel ends this process before any other. Linux alone has the file.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}
send({ kind: 'ready' });

// Without its server it ends by itself, as soon as nothing runs.
process.on('disconnect', () => {
  for (const query of running.values()) query.abort(new Error('cancelled'));
  engines.close();
});
// It obeys its server alone: what ends the server's group must not end it in the middle of an answer.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
