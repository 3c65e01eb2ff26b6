import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OpenDatabase } from '@berth/database';
import { isOnPostgres, openTestDatabase } from '@berth/database/testing';
import { type Clock, createSystemClock } from '@berth/kit';
import { sql } from 'kysely';
import { type Cluster, createCluster } from '../cluster.ts';

/** One database for several servers of a test. */
export interface SharedDatabase extends AsyncDisposable {
  /** Opens it for a server: on Postgres with connections of its own. */
  open(): Promise<OpenDatabase>;
  /** Creates a server's view of the others; a paused one hears nothing. */
  join(database: Pick<OpenDatabase, 'notices'>, clock: PausableClock): Cluster;
}

/** Creates a database that servers share. On SQLite they share the handle too, and its clock is the database's. */
export async function createSharedDatabase(): Promise<SharedDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-servers-'));
  const file = path.join(folder, 'shared.sqlite');
  const first = await openTestDatabase(file);
  return {
    open: async () => (isOnPostgres ? openTestDatabase(file) : { ...first, close: async () => {} }),
    join({ notices }, clock) {
      const cluster = createCluster({
        publish: notices.publish,
        subscribe: (channel, listener) =>
          notices.subscribe(channel, (payload) => void clock.whenRunning().then(() => listener(payload))),
      });
      return isOnPostgres
        ? cluster
        : { ...cluster, nowMs: () => sql<number>`cast(unixepoch('subsec') * 1000 as bigint)` };
    },
    async [Symbol.asyncDispose]() {
      await first.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A clock of a server that can be paused, as by SIGSTOP: timers that are due meanwhile fire when it goes on. */
export interface PausableClock extends Clock {
  pause(): void;
  /** Resolves when it is not paused. */
  whenRunning(): Promise<void>;
  resume(): void;
}

export function createPausableClock(): PausableClock {
  const clock = createSystemClock();
  let running = Promise.resolve();
  let resume = () => {};
  return {
    ...clock,
    setTimer(delayMs, callback) {
      let isCanceled = false;
      const timer = clock.setTimer(delayMs, () => void running.then(() => !isCanceled && callback()));
      return {
        cancel() {
          isCanceled = true;
          timer.cancel();
        },
      };
    },
    async sleep(delayMs, signal) {
      await clock.sleep(delayMs, signal);
      await running;
    },
    pause() {
      ({ promise: running, resolve: resume } = Promise.withResolvers<void>());
    },
    whenRunning: () => running,
    resume: () => resume(),
  };
}
