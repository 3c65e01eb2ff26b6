import { createError } from '@berth/contract';
import type { HeldLease, Leases } from '@berth/control';
import type { Database } from '@berth/database';
import { backoffMs, type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import type { LogScope, LogStore } from '@berth/logstore';
import type { Capability } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { type LogReceiver, ReceiverBusyError, sendLogRecords } from './send-log-records.ts';
import type { ExportedEntry } from './to-log-record.ts';

/** Options of {@link createLogExport}. */
export interface LogExportOptions {
  readonly db: Kysely<Database>;
  readonly logs: Pick<LogStore, 'tail'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leases: Leases;
  readonly receiver: LogReceiver;
  /** Called after each request to the receiver. */
  onFailing?(isFailing: boolean): void;
}

/**
 * Sends every log entry to a receiver, by one of several servers. Invariants:
 * 1. An entry is sent again until the receiver took it or refused it for good. One that retention removes first is not.
 * 2. Entries of one log are sent in their order. After a crash, the last ones may be sent twice, with the same
 *    `log.record.uid`.
 */
export interface LogExport {
  start(): void;
  capability(): Capability;
  /** Stops. Entries that were not sent yet are sent after the next start. */
  close(): Promise<void>;
}

/** Entries of a request. */
const MAX_BATCH = 1_000;
/** Entries wait for others this long. */
const FLUSH_MS = 1_000;
/** How often new and removed deployments are looked for. */
const REFRESH_MS = 2_000;
/** A deployment that was removed is followed until it has been silent for this long. */
const SILENT_MS = 10_000;
const RETRY = { baseMs: 1_000, maxMs: 60_000 };
const BEGINNING = '1970-01-01T00:00:00Z';

/** How far a log was sent. */
interface Position {
  readonly scope: LogScope;
  readonly until: string;
}

interface Follower {
  readonly stop: AbortController;
  /** When it had its last entry. */
  lastMs: number;
}

const keyOf = ({ account, deployment }: LogScope) => JSON.stringify([account, deployment]);

export function createLogExport(options: LogExportOptions): LogExport {
  const { db, logs, clock, logger, leases, receiver } = options;
  const closing = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let failure: string | undefined;
  let sent = 0;
  let refused = 0;

  const sleep = (delayMs: number, signal: AbortSignal) => clock.sleep(delayMs, signal).catch(() => {});

  function fail(reason: string | undefined): void {
    failure = reason;
    options.onFailing?.(reason !== undefined);
  }

  /** Sends until the receiver answers for good; returns early only when aborted. */
  async function deliver(batch: readonly ExportedEntry[], signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const { rejected, reason } = await sendLogRecords(receiver, batch, signal);
        sent += batch.length - rejected;
        refused += rejected;
        fail(rejected > 0 ? reason : undefined);
        if (rejected > 0) logger.error({ entries: rejected, reason }, 'the receiver of logs refused entries');
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ReceiverBusyError)) throw error;
        if (failure === undefined) logger.warn({ error: error.message }, 'logs could not be exported; will retry');
        fail(error.message);
        await sleep(Math.max(error.retryAfterMs ?? 0, backoffMs(attempt, RETRY)), signal);
      }
    }
  }

  /** Records how far each log was sent. */
  async function advance(batch: readonly ExportedEntry[], lease: HeldLease): Promise<void> {
    const newest = new Map(batch.map(({ scope, entry }) => [keyOf(scope), { scope, until: entry.timestamp }]));
    await setPositions([...newest.values()], lease);
  }

  async function setPositions(positions: readonly Position[], lease: HeldLease): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      for (const { scope, until } of positions) {
        await transaction
          .insertInto('log_exports')
          .values({ account_id: scope.account, deployment: scope.deployment, exported_until: until })
          .onConflict((conflict) =>
            conflict.columns(['account_id', 'deployment']).doUpdateSet({ exported_until: until }),
          )
          .execute();
      }
    });
  }

  async function exportAll(lease: HeldLease): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([closing.signal, lease.signal, over.signal]);
    const startedMs = clock.nowMs();
    const followers = new Map<string, Follower>();
    const pending: ExportedEntry[] = [];
    let room = Promise.withResolvers<void>();

    async function follow(scope: LogScope, follower: Follower, since: string): Promise<void> {
      const stop = AbortSignal.any([signal, follower.stop.signal]);
      const stopped = aborted(stop);
      let cursor = since;
      while (!stop.aborted) {
        try {
          for await (const entry of logs.tail(scope, { since: cursor, signal: stop })) {
            while (pending.length >= MAX_BATCH && !stop.aborted) await Promise.race([room.promise, stopped]);
            if (stop.aborted) return;
            pending.push({ scope, entry });
            cursor = entry.timestamp;
            follower.lastMs = clock.monotonicMs();
          }
        } catch (error) {
          if (stop.aborted) return;
          logger.warn({ ...scope, error: describeError(error) }, 'a log could not be read; will retry');
        }
        await sleep(REFRESH_MS, stop);
      }
    }

    /** Follows new deployments, and stops to follow those that are gone and silent. */
    async function refresh(): Promise<void> {
      const [deployments, positions] = await Promise.all([
        db.selectFrom('deployments').select(['account_id', 'name', 'created_at']).execute(),
        db.selectFrom('log_exports').selectAll().execute(),
      ]);
      const isFirst = positions.length === 0;
      const known = new Map(
        positions.map(({ account_id: account, deployment, exported_until: until }): [string, Position] => {
          const scope = { account, deployment };
          return [keyOf(scope), { scope, until }];
        }),
      );
      const current = new Set<string>();
      const added: Position[] = [];
      for (const { account_id: account, name: deployment, created_at: createdAtMs } of deployments) {
        const scope = { account, deployment };
        const key = keyOf(scope);
        current.add(key);
        if (known.has(key)) continue;
        // History from before the export was set up is not sent.
        const until = isFirst && createdAtMs < startedMs ? new Date(startedMs).toISOString() : BEGINNING;
        known.set(key, { scope, until });
        added.push({ scope, until });
      }
      if (added.length > 0) await setPositions(added, lease);
      for (const [key, { scope, until }] of known) {
        const follower = followers.get(key);
        if (follower) {
          if (current.has(key) || !isSilent(scope, follower)) continue;
          follower.stop.abort();
          followers.delete(key);
          await db
            .deleteFrom('log_exports')
            .where('account_id', '=', scope.account)
            .where('deployment', '=', scope.deployment)
            .execute();
          continue;
        }
        const begun = { stop: new AbortController(), lastMs: clock.monotonicMs() };
        followers.set(key, begun);
        runInBackground('log export', follow(scope, begun, until), logger);
      }
    }

    const isSilent = (scope: LogScope, { lastMs }: Follower) =>
      clock.monotonicMs() - lastMs >= SILENT_MS && !pending.some((entry) => keyOf(entry.scope) === keyOf(scope));

    async function flush(): Promise<void> {
      while (!signal.aborted) {
        if (pending.length < MAX_BATCH) await sleep(FLUSH_MS, signal);
        // They stay pending until they were sent: their followers go no further than a batch ahead.
        const batch = pending.slice(0, MAX_BATCH);
        if (batch.length === 0) continue;
        await deliver(batch, signal);
        if (signal.aborted) return;
        await advance(batch, lease);
        pending.splice(0, batch.length);
        room.resolve();
        room = Promise.withResolvers();
      }
    }

    async function look(): Promise<void> {
      while (!signal.aborted) {
        await refresh();
        await sleep(REFRESH_MS, signal);
      }
    }

    try {
      await Promise.race([Promise.all([flush(), look()]), aborted(signal)]);
    } finally {
      over.abort();
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await leases.run('log export', exportAll);
      } catch (error) {
        if (closing.signal.aborted) return;
        logger.error({ error: describeError(error) }, 'the export of logs failed; will retry');
      }
      // Another server exports, or something failed.
      await sleep(5 * REFRESH_MS, closing.signal);
    }
  }

  return {
    start() {
      running = run();
    },
    capability() {
      const base = { id: 'log-export', title: 'Log export' } as const;
      const { host } = new URL(receiver.url);
      const counts = `${sent} entries sent to ${host} by this server since its start${refused > 0 ? `, ${refused} refused` : ''}.`;
      return failure === undefined
        ? { ...base, status: 'enforced', detail: counts }
        : {
            ...base,
            status: 'partial',
            detail: `The last export failed: ${failure} ${counts}`,
            remedy: 'Check BERTH_LOG_EXPORT_URL and BERTH_LOG_EXPORT_HEADERS.',
          };
    },
    async close() {
      closing.abort(createError('unavailable', 'The platform is shutting down.'));
      await running;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
