import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { createError } from '@berth/contract';
import { BerthError, type Clock, describeError, forEachConcurrently, type Logger, runInBackground } from '@berth/kit';
import type { BufferGauge, DeploymentLog } from './append/deployment-log.ts';
import type { Compaction } from './compact/compaction.ts';
import type { Maintenance } from './compact/maintenance.ts';
import type { LogScope } from './entry/log-entry.ts';
import { normalizeTimestamp } from './entry/timestamp.ts';
import type { FileLogLimits } from './limits/file-log-limits.ts';
import { createQueryLimiter } from './limits/query-limiter.ts';
import { isMissing, type LogFiles, type ReadableFile } from './lines/log-files.ts';
import type { FileLogStore } from './ports/log-store.ts';
import type { LineSegment, LogPlace } from './ports/segment.ts';
import type { LogNames } from './processes/log-engine/entry-columns.ts';
import { countEntries } from './query/count-entries.ts';
import { createPredicate } from './query/filter/create-predicate.ts';
import { boundsOf, createLineGuard } from './query/filter/filter-bounds.ts';
import type { LogFilter } from './query/filter/log-filter.ts';
import { requiredTokens } from './query/filter/required-tokens.ts';
import { toSql } from './query/filter/to-sql.ts';
import { type ReadPlan, readAfter, readNewest } from './query/read-entries.ts';
import type { EntryFilter, ReadSource } from './query/read-source.ts';
import { surveyEntries } from './query/survey-entries.ts';
import { tailEntries } from './query/tail-entries.ts';
import { takeSnapshot } from './query/take-snapshot.ts';
import { createDamageLedger } from './segments/damage-ledger.ts';
import type { OpenParquet } from './segments/open-parquet.ts';
import { placeOf, scopeFolder } from './segments/scope-folder.ts';

/** A log that has been used since the start. */
export interface OpenLog<Log extends DeploymentLog = DeploymentLog> {
  readonly log: Log;
  readonly compaction: Compaction;
}

/** The parts of a log store that its driver provides. */
export interface LogStoreParts<Log extends DeploymentLog> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: FileLogLimits;
  readonly parquet: OpenParquet | undefined;
  /** Sizes of the files of lines, to find missing ones. */
  readonly files: Pick<LogFiles, 'size'>;
  readonly maintenance: Maintenance;
  /** Logs that are committed at once. */
  readonly commitsAtOnce: number;
  /** Where entries are written, in sentences for the operator: "the disk". */
  readonly medium: string;
  openLog(place: LogPlace, gauge: BufferGauge): OpenLog<Log>;
  /** @throws the system's `ENOENT` when the lines are gone. */
  openLines(place: LogPlace, segment: LineSegment): Promise<ReadableFile>;
  /** Returns the folder names of an account's stored logs. */
  deploymentsOf(account: string): Promise<readonly string[]>;
  /** Called after the last commit. */
  onClosed?(): Promise<void>;
}

/** Maximum bytes of a page that a tail reads ahead. */
const TAIL_PAGE_BYTES = 1_048_576;

/** A log store, and access to its logs for its driver. */
export interface AssembledLogStore<Log extends DeploymentLog> extends FileLogStore {
  /** The open logs by `<account>/<deployment>`. */
  readonly logs: ReadonlyMap<string, OpenLog<Log>>;
  /** Returns the log of a place, and opens it if necessary. */
  openAt(place: LogPlace): OpenLog<Log>;
}

/** Creates a log store on the logs that `openLog` opens: it commits them, and reads them in every way. */
export function assembleLogStore<Log extends DeploymentLog>(parts: LogStoreParts<Log>): AssembledLogStore<Log> {
  const { clock, logger, limits, parquet, maintenance, medium } = parts;
  const searches = createQueryLimiter(limits.searches, 'searches of logs');
  const damage = createDamageLedger({ files: parts.files, parquet, logger });
  const logs = new Map<string, OpenLog<Log>>();
  const gauge: BufferGauge = { characters: 0 };
  const closing = new AbortController();
  let isCommitPlanned = false;
  let closed: Promise<void> | undefined;

  function openAt(place: LogPlace): OpenLog<Log> {
    const folder = join(place.account, place.deployment);
    const known = logs.get(folder);
    if (known) return known;
    const opened = parts.openLog(place, gauge);
    logs.set(folder, opened);
    return opened;
  }

  const logAt = (place: LogPlace) => openAt(place).log;

  /** Commits every dirty log. Resolves false when entries were, or may have been, lost. */
  async function commitAll(isRoutine = false): Promise<boolean> {
    let isKept = true;
    const dirty = [...logs.values()].map(({ log }) => log).filter((log) => log.isDirty);
    await forEachConcurrently(dirty, { concurrency: parts.commitsAtOnce }, async (log) => {
      if (!(await log.commit(isRoutine))) isKept = false;
    });
    return isKept;
  }

  function planCommit(): void {
    if (isCommitPlanned || closing.signal.aborted) return;
    isCommitPlanned = true;
    clock.setTimer(limits.commitMs, () => {
      const round = commitAll(true).then(() => {
        isCommitPlanned = false;
        if ([...logs.values()].some(({ log }) => log.isDirty)) planCommit();
      });
      runInBackground('log commit', round, logger);
    });
  }

  /**
   * Runs `work` on the current segments of a log, and again when they were replaced in the meantime.
   * @param since segments that end at this time or before are not needed.
   */
  async function onSegments<Result>(
    scope: LogScope,
    { signal, since }: { readonly signal: AbortSignal | undefined; readonly since?: string | undefined },
    work: (source: Omit<ReadSource, 'filter' | 'signal'>) => Promise<Result>,
  ): Promise<Result> {
    const place = placeOf(scope);
    const { log, compaction } = openAt(place);
    const openLines = (segment: LineSegment) => parts.openLines(place, segment);
    for (let attempt = 1; ; attempt++) {
      try {
        using held = await log.hold(since);
        const segments = damage.usable(place, held.segments);
        try {
          // Reading a name that no one ever logged under must leave nothing behind.
          if (segments.length === 0 && log.isIdle && maintenance.forget(compaction)) logs.delete(scopeFolder(scope));
          return await work({ openLines, parquet, place, segments, names: namesOf(scope) });
        } catch (error) {
          if (signal?.aborted || BerthError.is(error)) throw error;
          // A missing file may only mean that the list is stale. A held segment that is missing from a fresh list was
          // removed by something else.
          if (isMissing(error) && attempt === 1) throw error;
          if (!(await damage.examine(place, segments))) throw error;
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        // The lines were removed by retention or are Parquet now: a fresh list has the current segments.
        if (isMissing(error) && attempt < READ_ATTEMPTS) continue;
        if (BerthError.is(error)) throw error;
        logger.error({ ...place, error: describeError(error) }, 'a log could not be read');
        throw createError('unavailable', "Couldn't read the log. Try again.", { cause: error });
      }
    }
  }

  const readLog = (scope: LogScope, since: string | undefined, limits: PlanLimits) =>
    onSegments(scope, { since, signal: limits.signal }, (source) => {
      const plan: ReadPlan = { ...source, ...limits };
      return since === undefined ? readNewest(plan) : readAfter(plan, since);
    });

  /** Runs `work` within the limits on concurrent searches: a search may read a whole log. */
  async function search<Result>(
    { account }: LogScope,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return await searches.run(work, { key: account, ...(signal && { signal }) });
  }

  /** Folder names of an account's deployments, including those with nothing stored yet. */
  async function deploymentsOf(accountFolder: string): Promise<string[]> {
    const open = [...logs.keys()]
      .filter((folder) => dirname(folder) === accountFolder)
      .map((folder) => basename(folder));
    return [...new Set([...open, ...(await parts.deploymentsOf(accountFolder))])];
  }

  async function close(): Promise<void> {
    maintenance.stop();
    closing.abort();
    parquet?.close();
    await maintenance.ended();
    if (!(await commitAll())) logger.error({}, `log entries were lost at shutdown: ${medium} did not accept them`);
    await parts.onClosed?.();
  }

  return {
    logs,
    openAt,
    get damagedSegments() {
      return damage.count;
    },
    append(scope, entries) {
      if (closing.signal.aborted) return;
      const wait = logAt(placeOf(scope)).append(entries);
      planCommit();
      return wait;
    },
    async read(scope, { since, limit, filter, signal }) {
      const after = since === undefined ? undefined : normalizeTimestamp(since);
      const plan = { limit, answerBytes: limits.answerBytes, filter: filterOf(scope, filter), signal };
      return filter ? search(scope, signal, () => readLog(scope, after, plan)) : readLog(scope, after, plan);
    },
    count: (scope, { filter, signal, ...span }) =>
      search(scope, signal, () =>
        onSegments(scope, { signal }, (source) =>
          countEntries({ ...source, filter: filterOf(scope, filter), signal, span, clock }),
        ),
      ),
    survey: (scope, { filter, signal, ...span }) =>
      search(scope, signal, () =>
        onSegments(scope, { signal }, (source) =>
          surveyEntries({ ...source, filter: filterOf(scope, filter), signal, span }),
        ),
      ),
    tail(scope, { since, filter, signal }) {
      const place = placeOf(scope);
      const ended = AbortSignal.any([signal, closing.signal]);
      const plan = { answerBytes: TAIL_PAGE_BYTES, filter: filterOf(scope, filter), signal: ended };
      const newest = async () => {
        try {
          return await logAt(place).newest();
        } catch (error) {
          logger.error({ ...place, error: describeError(error) }, 'a log could not be read');
          throw createError('unavailable', "Couldn't read the log. Try again.", { cause: error });
        }
      };
      // Resolved at the call, not at the first entry: the tail includes everything appended from here on.
      const start = since === undefined ? newest() : Promise.resolve(normalizeTimestamp(since));
      // Reported to the tail's reader, who may begin later.
      start.catch(() => {});
      return tailEntries({
        start,
        signal: ended,
        watch: (listener) => logAt(place).watch(listener),
        newest,
        read: (after, limit) => readLog(scope, after ?? BEGINNING, { ...plan, limit }),
      });
    },
    async snapshot(account, isExamined = false) {
      if (!parquet) throw createError('unavailable', 'The log has no engine that could write a snapshot.');
      const { storage, copies } = parquet;
      const place = placeOf({ account, deployment: '' });
      try {
        return await takeSnapshot({
          storage,
          copies,
          account: place.account,
          deployments: await deploymentsOf(place.account),
          hold: async (deployment) => {
            const log = { ...place, deployment };
            using holds = new DisposableStack();
            const { segments } = holds.use(await logAt(log).hold());
            // SQL reads all files in one statement, which fails as a whole when one of them is damaged.
            if (isExamined) await damage.examine(log, segments);
            const held = holds.move();
            return { segments: damage.usable(log, segments), [Symbol.dispose]: () => held.dispose() };
          },
        });
      } catch (error) {
        if (BerthError.is(error)) throw error;
        logger.error({ account, error: describeError(error) }, 'a snapshot of logs could not be made');
        throw createError('unavailable', "Couldn't read the logs. Try again.", { cause: error });
      }
    },
    async flush() {
      if (await commitAll()) return;
      throw createError('unavailable', `${medium.replace('t', 'T')} did not accept all log entries.`);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

type PlanLimits = Pick<ReadPlan, 'limit' | 'answerBytes' | 'filter' | 'signal'>;

/** Each retry means that a segment was replaced while it was read; five in a row don't happen in practice. */
const READ_ATTEMPTS = 5;

const BEGINNING = normalizeTimestamp('0000-01-01T00:00:00Z');

/** Compiles a filter for lines and for Parquet. */
function filterOf(scope: LogScope, filter: LogFilter | undefined): EntryFilter {
  const where = filter && toSql(filter, namesOf(scope).scopeTag);
  const bounds = boundsOf(filter);
  const tokens = requiredTokens(filter, namesOf(scope));
  return {
    mayFit: createLineGuard(bounds, tokens),
    fits: createPredicate(filter, scope),
    isAll: filter === undefined,
    bounds,
    tokens,
    ...(where ? { where } : {}),
  };
}

function namesOf(scope: LogScope): LogNames {
  return { deployment: scope.deployment, scopeTag: scopeTag(scopeFolder(scope)) };
}

/** Six hex digits that identify a deployment; part of every `insertId`. */
function scopeTag(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 6);
}
