import { createError } from '@berth/contract';
import { type MovedDeployments, type Rebuild, settleMovedDeployments } from '@berth/control';
import {
  type AdaptedValue,
  type CopiedDigest,
  canOpenSealed,
  claimDatabase,
  copyInto,
  countTables,
  holdSchema,
  readSchemaState,
  releaseCopy,
} from '@berth/database';
import { type AccountId, type Clock, createIdSource, type DeployId, type Logger } from '@berth/kit';
import { lockDataFolder, lockMove, lockState } from '../data-folder/data-folder-lock.ts';
import { findOrigin } from '../data-folder/data-place.ts';
import { readMovedMark, writeMovedMark } from '../data-folder/moved-mark.ts';
import { createSealers, openPlatformSecrets } from '../data-folder/platform-secrets.ts';
import { openJournal } from './journal.ts';
import { type MovedDeploy, type MovedDeployment, moveArchives, moveSources } from './move-builds.ts';
import { addCertificates, readCertificateFiles } from './move-certificates.ts';
import { type MovedImages, moveImages } from './move-images.ts';
import { type MovedLogs, moveLines, moveSegments } from './move-logs.ts';
import type { MovePass, MoveProgress } from './move-pass.ts';
import { type MovedVolume, moveVolumes } from './move-volumes.ts';
import { type MoveSource, openSource, requireDataFolder } from './open-source.ts';
import { type MoveTarget, openTarget } from './open-target.ts';

/** Options of {@link movePlatform}. */
export interface MovePlatformOptions {
  readonly dataFolder: string;
  /**
   * `plan` changes nothing. `copy` copies files while a server runs. `switch` copies the rest and the database of a stopped server, after
   * which the platform runs in the target.
   */
  readonly step: 'plan' | 'copy' | 'switch';
  /** With the settings of the target. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  onProgress(progress: MoveProgress): void;
  onAdapted(value: AdaptedValue): void;
}

/** The result of a step. */
export interface MovedPlatform {
  /** True when the platform runs in the target now; an earlier run may have moved it. */
  readonly isSwitched: boolean;
  /** Where the files go to. */
  readonly place: string;
  /** Where the master key is kept, which the target needs. */
  readonly masterKey: string;
  /** Empty before the switch copies them, except in a plan. */
  readonly tables: readonly (Pick<CopiedDigest, 'table' | 'rows'> & Partial<CopiedDigest>)[];
  readonly volumes: readonly MovedVolume[];
  readonly deployments: readonly MovedDeployment[];
  /** Unfinished deploys, which go on in the target. */
  readonly deploys: readonly MovedDeploy[];
  readonly logs: MovedLogs;
  readonly certificates: number;
}

/**
 * Moves a platform from one machine to servers that share a Postgres database and a place for objects. Killed at any point, it goes on
 * when it is called again; a step that is done does nothing. Until the switch has ended no server starts on the target.
 *
 * The order of a switch: files; the database, compared, behind the mark of an incomplete copy; the mark in the data folder, which stops
 * its server from starting; logs; then, in one transaction, what the database lacks and the end of its mark.
 * @throws BerthError `conflict` while a server uses the data folder or the database, and when the target has data of its own; `invalid`
 *   for missing settings; `not_found` when there is nothing to move; `unavailable` when a database can't be used
 */
export async function movePlatform(options: MovePlatformOptions): Promise<MovedPlatform | undefined> {
  const { dataFolder, step, environment, clock, logger } = options;
  if (readMovedMark(dataFolder)?.state === 'switched') return undefined;
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await openTarget(dataFolder, environment, clock));
  const { databaseUrl: targetUrl } = target;
  requireDataFolder(dataFolder);
  const sourceUrl = environment['BERTH_SOURCE_DATABASE_URL'] || undefined;
  const move = lockMove(dataFolder);
  stack.defer(() => move.release());
  if (step === 'switch') {
    const lock = lockDataFolder(dataFolder);
    stack.defer(() => lock.release());
    const state = await lockState(dataFolder, clock);
    stack.defer(() => state.release());
    for (const url of new Set([targetUrl, sourceUrl ?? targetUrl])) {
      const claim = await claimDatabase(url, { logger, isShared: false });
      stack.defer(() => claim.release());
    }
  }
  const source = stack.use(await openSource({ dataFolder, sourceUrl, targetUrl, clock, logger }));
  const place = { url: targetUrl, logger };
  const state = await readSchemaState(place);
  if (readMovedMark(dataFolder)?.state === 'switching' && state === 'used') {
    // Killed between its last two steps.
    writeMovedMark(dataFolder, { to: 'kubernetes', state: 'switched', at: now(clock) });
    return undefined;
  }
  if (state === 'used' && !source.isSameDatabase) throw usedTarget();
  const secrets = await openPlatformSecrets({
    config: target.config,
    folders: { data: dataFolder, isFirstRun: false, origin: findOrigin(dataFolder) },
    environment,
  });
  const sealers = createSealers(secrets);
  if (!(await canOpenSealed(source.db, sealers))) {
    throw createError(
      'unavailable',
      `${secrets.place} is not the key of this platform's database. The cluster needs the master key of this server: set BERTH_MASTER_KEY or BERTH_MASTER_KEY_FILE to it, or leave them out to use the one in ${dataFolder}.`,
    );
  }
  const journal = stack.use(openJournal(dataFolder, target.name, step !== 'plan'));
  const pass: MovePass = {
    ...{ source, target, journal, clock, logger, signal: options.signal, onProgress: options.onProgress },
    isLive: step !== 'switch',
    isDryRun: step === 'plan',
    engineAddress: environment['DOCKER_HOST'],
  };
  const files = await readCertificateFiles(dataFolder);
  const images = await moveImages(pass);
  const result = {
    isSwitched: false,
    place: target.name,
    masterKey: secrets.place,
    tables: step === 'plan' && !source.isSameDatabase ? await countSource(source, logger) : [],
    volumes: await moveVolumes(pass),
    deployments: await moveSources(pass, images),
    deploys: await moveArchives(pass),
    logs: await moveSegments(pass),
    certificates: files.certificates.size,
  };
  if (step !== 'switch') return result;

  const tables = source.isSameDatabase ? [] : await copyDatabase(options, source, target);
  if (source.isSameDatabase) await holdSchema(place);
  writeMovedMark(dataFolder, { to: 'kubernetes', state: 'switching', at: now(clock) });
  await moveLines(pass);
  const deployments = describeDeployments(result, images, clock);
  await releaseCopy(place, async (transaction) => {
    await settleMovedDeployments(transaction, deployments, clock.nowMs());
    await addCertificates(transaction, files, sealers.environment);
    // They are in the logs of several servers now.
    await transaction.deleteFrom('log_segments').execute();
  });
  writeMovedMark(dataFolder, { to: 'kubernetes', state: 'switched', at: now(clock) });
  return { ...result, tables, isSwitched: true };
}

const now = (clock: Clock) => new Date(clock.nowMs()).toISOString();

const countSource = ({ database }: MoveSource, logger: Logger) =>
  countTables('url' in database ? { ...database, logger } : database);

function copyDatabase(options: MovePlatformOptions, { database }: MoveSource, { databaseUrl: url }: MoveTarget) {
  const { logger, signal, onAdapted, onProgress } = options;
  return copyInto({
    ...{ source: database, url, logger, signal, onAdapted },
    onProgress: ({ table }) => onProgress({ kind: 'table', name: table, sizeBytes: 0 }),
  });
}

function describeDeployments(
  { deployments, deploys }: Pick<MovedPlatform, 'deployments' | 'deploys'>,
  { adopt }: MovedImages,
  clock: Clock,
): MovedDeployments {
  const ids = createIdSource(() => clock.nowMs());
  return {
    rebuilds: deployments.flatMap(({ account, name, archive }): Rebuild[] =>
      archive === null
        ? []
        : [{ id: ids.next<'deploy'>('dpl') as DeployId, accountId: account as AccountId, deployment: name, archive }],
    ),
    archives: new Map(deploys.flatMap(({ id, archive }) => (archive === null ? [] : [[id, archive] as const]))),
    adopt,
  };
}

function usedTarget() {
  return createError(
    'conflict',
    'The Postgres database of BERTH_DATABASE_URL has data already. Nothing was changed. Choose an empty database; if the server of this data folder uses another Postgres database, set BERTH_SOURCE_DATABASE_URL to its URL.',
  );
}
