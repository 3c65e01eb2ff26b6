import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createHeartbeatThread } from '@berth/agent-store';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { turnMessages } from '../../turns/turn-messages.ts';
import { createRunEngine } from '../create-run-engine.ts';
import { ALICE, turn } from './run-fixture.ts';

// An instance of an agent whose tool blocks its thread, from the file `blocked` until the file `go`. Arguments: the folder of both
// and of a SQLite database, and the URL of a Postgres database.
const [dataFolder = '', url] = process.argv.slice(2);
const logger = createSilentLogger();
const clock = createSystemClock();
const agent = { name: 'helper', project: 'p' };
const database = await openAgentDatabase({ place: { dataFolder, url, agent }, logger });
const { heartbeatPlace: place } = database;
if (!place) throw new Error('the database has no place for heartbeats');
const stores = createSqlStores(database);
const thread = createHeartbeatThread({
  place,
  program: new URL(import.meta.resolve('@berth/agent/heartbeat-thread')),
  ...{ instance: 'blocked', intervalMs: 20, keepMs: 600_000, leaseMs: 60_000, clock, logger },
});
const engine = createRunEngine({
  store: stores.runs,
  clock,
  ids: createIdSource(),
  logger,
  instance: 'blocked',
  finish: turnMessages,
  startHeartbeats: thread.forRuns,
});
const reader = await engine.start(
  turn(
    async ({ runId, signal, emit }) => {
      emit({ type: 'text', text: 'before ' });
      // The frame is logged before the thread is blocked, so that other instances show it.
      while ((await stores.runs.frames(ALICE, runId, 0, 1)).length === 0) await clock.sleep(10);
      writeFileSync(path.join(dataFolder, 'blocked'), '');
      const cell = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(path.join(dataFolder, 'go'))) Atomics.wait(cell, 0, 0, 10);
      emit({ type: 'text', text: signal.aborted ? 'aborted' : 'after' });
    },
    { isDetached: true },
  ),
);
// Reads to the end; `close` would interrupt the turn.
for await (const _frames of reader);
await engine.close();
await thread.close();
await stores.close();
