import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createError } from '@berth/contract';
import { BerthError, type Clock, describeError, type Logger, runInBackground } from '@berth/kit';
import { type BufferGauge, createDeploymentLog, type DeploymentLog } from './deployment-log.ts';
import type { LogEngine } from './engine/create-log-engine.ts';
import type { LogNames } from './engine/entry-columns.ts';
import { FILE_LOG_DEFAULTS, type FileLogLimits } from './file-log-limits.ts';
import type { FileLogStore } from './file-log-store.ts';
import { createPredicate } from './filter/create-predicate.ts';
import { createLineGuard } from './filter/line-guard.ts';
import { toSql } from './filter/to-sql.ts';
import { forEachBounded } from './for-each-bounded.ts';
import { createNodeLogFiles, isMissing, type LogFiles } from './log-files.ts';
import type { LogScope, StoredEntry } from './log-store.ts';
import { type ReadPlan, readAfter, readNewest } from './read-entries.ts';
import { createRoller } from './roller.ts';
import { scopeFolder } from './scope-folder.ts';
import { createSegmentWriter } from './segment-writer.ts';
import { takeSnapshot } from './snapshot/take-snapshot.ts';
import { startSweeps } from './sweep.ts';
import { tailEntries } from './tail-entries.ts';
import { normalizeTimestamp } from './timestamp.ts';

export interface FileLogStoreOptions {
  /** Where the logs are; made when the first entry comes. No other process may write there. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What differs from {@link FILE_LOG_DEFAULTS}. */
  readonly limits?: Partial<FileLogLimits>;
  /** Turns full segments into Parquet and reads those; without it, segments stay lines. The store closes it. */
  readonly engine?: LogEngine;
  /** The machine's files by default; tests break them. */
  readonly files?: LogFiles;
}

/** Logs forced to the disk at the same time; more would take all of Node's four file threads. */
const COMMITS_AT_ONCE = 2;

/** Bytes of a page that a tail reads ahead. */
const TAIL_PAGE_BYTES = 1_048_576;

/**
 * The {@link LogStore} on plain files: a folder per deployment, in it segments of checksummed JSON lines, which are
 * read in place. Memory: what is not yet written, and a few hundred bytes per segment of the deployments used so far.
 */
export function createFileLogStore(options: FileLogStoreOptions): FileLogStore {
  const { clock, logger, engine, files = createNodeLogFiles() } = options;
  const root = resolve(options.folder);
  const given = { ...FILE_LOG_DEFAULTS, ...options.limits };
  // Whole segments are dropped: a log of few segments would lose much of itself at once.
  const limits = { ...given, segmentBytes: Math.min(given.segmentBytes, Math.ceil(given.maxBytes / 8)) };
  const logs = new Map<string, DeploymentLog>();
  const gauge: BufferGauge = { characters: 0 };
  const closing = new AbortController();
  /** Emptied at first use: what is in it then is of a process that was killed. */
  let snapshotFolder: Promise<string> | undefined;
  let isCommitPlanned = false;
  let closed: Promise<void> | undefined;

  function logAt(folder: string): DeploymentLog {
    let log = logs.get(folder);
    if (!log) {
      const writer = createSegmentWriter({ folder: join(root, folder), files, limits });
      const made = createDeploymentLog({
        writer,
        limits,
        clock,
        logger: logger.child({ log: folder }),
        gauge,
        onFull: () => roller?.add(made, folder),
      });
      log = made;
      roller?.add(log, folder);
      logs.set(folder, log);
    }
    return log;
  }

  /** Commits every dirty log; false when something was or may be lost. */
  async function commitAll(): Promise<boolean> {
    let isKept = true;
    const dirty = [...logs.values()].filter((log) => log.isDirty);
    await forEachBounded(dirty, COMMITS_AT_ONCE, async (log) => {
      if (!(await log.commit())) isKept = false;
    });
    return isKept;
  }

  function planCommit(): void {
    if (isCommitPlanned || closing.signal.aborted) return;
    isCommitPlanned = true;
    clock.setTimer(limits.commitMs, () => {
      const round = commitAll().then(() => {
        isCommitPlanned = false;
        if ([...logs.values()].some((log) => log.isDirty)) planCommit();
      });
      runInBackground('log commit', round, logger);
    });
  }

  async function readLog(folder: string, since: string | undefined, plan: PlanLimits): Promise<StoredEntry[]> {
    const log = logAt(folder);
    for (let attempt = 1; ; attempt++) {
      try {
        const segments = await log.segments();
        // A name nobody ever logged under must leave nothing behind.
        if (segments.length === 0 && log.isIdle) logs.delete(folder);
        const whole = { files, engine, segments, ...plan };
        return since === undefined ? await readNewest(whole) : await readAfter(whole, since);
      } catch (error) {
        if (plan.signal?.aborted) throw plan.signal.reason;
        // Removed by age or size, or in Parquet now: a fresh list knows.
        if (isMissing(error) && attempt < READ_ATTEMPTS) continue;
        if (BerthError.is(error)) throw error;
        logger.error({ log: folder, error: describeError(error) }, 'a log could not be read');
        throw createError('unavailable', 'The log can not be read at the moment; try again.', { cause: error });
      }
    }
  }

  /** Folders of an account's deployments, also of those that nothing is written of yet. */
  async function deploymentsOf(accountFolder: string): Promise<string[]> {
    const open = [...logs.keys()]
      .filter((folder) => dirname(folder) === accountFolder)
      .map((folder) => basename(folder));
    return [...new Set([...open, ...(await files.list(join(root, accountFolder)))])];
  }

  async function close(): Promise<void> {
    stopSweeps();
    closing.abort();
    await roller?.close();
    engine?.close();
    if (!(await commitAll())) logger.error({}, 'log entries were lost at the end: the disk did not take them');
  }

  const roller = engine && createRoller({ engine, logger });
  const stopSweeps = startSweeps({ root, files, clock, logger, limits, trim: (folder) => logAt(folder).trim() });

  return {
    append(scope, entries) {
      if (closing.signal.aborted) return;
      const wait = logAt(scopeFolder(scope)).append(entries);
      planCommit();
      return wait;
    },
    async read(scope, { since, limit, filter, signal }) {
      const after = since === undefined ? undefined : normalizeTimestamp(since);
      const names = namesOf(scope);
      const where = filter && toSql(filter, names.scopeTag);
      const wanted = {
        mayFit: createLineGuard(filter),
        fits: createPredicate(filter, scope),
        ...(where ? { where } : {}),
      };
      const plan = { names, limit, answerBytes: limits.answerBytes, filter: wanted, signal };
      return readLog(scopeFolder(scope), after, plan);
    },
    tail(scope, { since, filter, signal }) {
      const folder = scopeFolder(scope);
      return tailEntries({
        // Now, not when the first entry is asked for: what is appended from here on belongs to this tail.
        start: since === undefined ? logAt(folder).drain() : Promise.resolve(normalizeTimestamp(since)),
        signal: AbortSignal.any([signal, closing.signal]),
        watch: (listener) => logAt(folder).watch(listener),
        read: (after, limit) =>
          readLog(folder, after ?? BEGINNING, {
            names: namesOf(scope),
            limit,
            answerBytes: TAIL_PAGE_BYTES,
            filter: ALL,
          }),
        fits: createPredicate(filter, scope),
      });
    },
    async snapshot(account) {
      if (!engine) throw createError('unavailable', 'The log has no engine that could write a snapshot.');
      snapshotFolder ??= clearFolder(`${root}-snapshots`);
      const accountFolder = dirname(scopeFolder({ account, deployment: '' }));
      try {
        return await takeSnapshot({
          folder: await snapshotFolder,
          accountFolder,
          deploymentFolders: await deploymentsOf(accountFolder),
          engine,
          segmentsOf: (deployment) => logAt(join(accountFolder, deployment)).segments(),
        });
      } catch (error) {
        logger.error({ account, error: describeError(error) }, 'a snapshot of logs could not be made');
        throw createError('unavailable', 'The logs can not be read at the moment; try again.', { cause: error });
      }
    },
    async flush() {
      if (await commitAll()) return;
      throw createError('unavailable', 'The disk did not take all log entries.');
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

type PlanLimits = Pick<ReadPlan, 'names' | 'limit' | 'answerBytes' | 'filter' | 'signal'>;

const ALL = { mayFit: () => true, fits: () => true };

/** A list of segments is out of date when one was replaced; that often in a row it never is. */
const READ_ATTEMPTS = 5;

const BEGINNING = normalizeTimestamp('0000-01-01T00:00:00Z');

function namesOf(scope: LogScope): LogNames {
  return { deployment: scope.deployment, scopeTag: scopeTag(scopeFolder(scope)) };
}

async function clearFolder(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  return folder;
}

/** Six characters that differ between deployments: part of every `insertId`. */
function scopeTag(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 6);
}
