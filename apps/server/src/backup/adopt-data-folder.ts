import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { type Builder, type StoredArchive, syncTree } from '@berth/builder';
import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import { describeError, type Logger } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { type Origin, RESTORED_NAME, writePlace } from '../data-folder/data-place.ts';
import { type PlatformFolders, workFolders } from '../data-folder/platform-folders.ts';
import { WORK_PARTS } from './backup-layout.ts';

/** Options of {@link adoptDataFolder}. */
export interface AdoptOptions {
  readonly db: Kysely<Database>;
  readonly folders: Pick<PlatformFolders, 'data' | 'origin'>;
  readonly workRoot: string;
  readonly builder: Pick<Builder, 'adopt'>;
  readonly logger: Logger;
  /** Revisions and archives of other servers are in the database too, and their files are not this server's to move. */
  readonly isShared?: boolean;
}

/**
 * Takes over a data folder that was restored, moved or copied: moves volumes, artifacts and archives to this server's work root, and
 * adapts artifacts to their new paths and users. Changes nothing in a folder that this server ran on before. The folder's new place is
 * written last, so a start after a kill repeats what is missing.
 * @throws BerthError `unavailable` for a copy without the services' files, and when files of another server are in the way
 */
export async function adoptDataFolder(options: AdoptOptions): Promise<void> {
  const { db, folders, workRoot, logger, isShared = false } = options;
  const { data, origin } = folders;
  const revisions = await listBuilt(db);
  const formerRoot = origin.workRoot ?? (isShared ? undefined : findFormerRoot(revisions));
  const isHere = origin.kind !== 'restored' && (formerRoot ?? workRoot) === workRoot;
  if (!isHere) await moveWork({ data, origin, formerRoot, workRoot });
  if (!isHere || origin.kind === 'copied') {
    if (formerRoot !== undefined && !isShared) await relocateArchives(db, formerRoot, workRoot);
    await adoptArtifacts(options, revisions, formerRoot);
    await syncTree(workRoot);
    const fields = { origin: origin.kind, revisions: revisions.length };
    logger.info(fields, 'took over a data folder from another place');
  }
  await storeRelativePaths(db, revisions);
  if (!isHere || origin.kind !== 'stayed') writePlace(data, workRoot);
  await rm(path.join(data, RESTORED_NAME), { force: true });
}

interface WorkMove {
  readonly data: string;
  readonly origin: Origin;
  readonly formerRoot: string | undefined;
  readonly workRoot: string;
}

async function moveWork({ data, origin, formerRoot, workRoot }: WorkMove): Promise<void> {
  const isOutside = origin.wasOutside && formerRoot !== undefined;
  if (isOutside && origin.kind === 'copied') {
    throw createError(
      'unavailable',
      `${data} is a copy without the files of its services, which are in ${formerRoot}. Back up the original (berth admin backup) and restore the backup, or remove the original so that this copy replaces it.`,
    );
  }
  const from = isOutside ? formerRoot : path.join(data, 'work');
  if (from === workRoot) return;
  const moves = WORK_PARTS.map((part) => [path.join(from, part), path.join(workRoot, part)] as const);
  // All of them before the first move, so that a refusal changes nothing.
  for (const move of moves) await requireFree(...move);
  for (const move of moves) await moveFolder(...move);
}

/** @throws BerthError `unavailable` when `from` has to be moved to `to` and files are there */
async function requireFree(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  await rmdir(to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    throw createError(
      'unavailable',
      `${from} must be moved to ${to}, which is not empty. Nothing was changed. Move ${to} away, or delete it if nothing needs its files, and start again.`,
    );
  });
}

/** Moves a folder to a place where nothing is, also across file systems. An interrupted move is finished or restarted. */
async function moveFolder(from: string, to: string): Promise<void> {
  const [draft, left] = [`${to}.moving`, `${from}.moved`];
  const finish = async () => {
    if (existsSync(draft)) await rename(draft, to);
    await rm(left, { recursive: true });
  };
  // The original gets this name only after the draft is complete.
  if (existsSync(left)) return finish();
  await rm(draft, { recursive: true, force: true });
  if (!existsSync(from)) return;
  await mkdir(path.dirname(to), { recursive: true });
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await cp(from, draft, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    await syncTree(draft);
    await rename(from, left);
    await finish();
  });
}

/** A revision and its artifact. */
interface BuiltRevision {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly artifact: Artifact;
}

async function listBuilt(db: Kysely<Database>): Promise<BuiltRevision[]> {
  const rows = await db
    .selectFrom('revisions')
    .select(['account_id as account', 'deployment', 'revision', 'artifact'])
    .where('artifact', 'is not', null)
    .execute();
  return rows.map((row) => ({ ...row, artifact: JSON.parse(row.artifact ?? 'null') as Artifact }));
}

/** Finds the work root of earlier servers, which stored absolute paths: `<work root>/artifacts/<account>/<deployment>/<revision>`. */
function findFormerRoot(revisions: readonly BuiltRevision[]): string | undefined {
  for (const { artifact } of revisions) {
    if (artifact.kind === 'folder' && path.isAbsolute(artifact.path)) return path.resolve(artifact.path, '../../../..');
  }
  return undefined;
}

function withRelativePath(artifact: Artifact): Artifact {
  if (artifact.kind !== 'folder' || !path.isAbsolute(artifact.path)) return artifact;
  return { ...artifact, path: artifact.path.split(path.sep).slice(-3).join(path.sep) };
}

async function storeRelativePaths(db: Kysely<Database>, revisions: readonly BuiltRevision[]): Promise<void> {
  for (const { account, deployment, revision, artifact } of revisions) {
    const relative = withRelativePath(artifact);
    if (relative === artifact) continue;
    await db
      .updateTable('revisions')
      .set({ artifact: JSON.stringify(relative) })
      .where('account_id', '=', account)
      .where('deployment', '=', deployment)
      .where('revision', '=', revision)
      .execute();
  }
}

/** Updates the paths of the archives of unfinished deploys. */
async function relocateArchives(db: Kysely<Database>, from: string, to: string): Promise<void> {
  const rows = await db.selectFrom('deploys').select(['id', 'archive']).where('archive', 'is not', null).execute();
  for (const { id, archive } of rows) {
    const stored = JSON.parse(archive ?? 'null') as StoredArchive;
    if (!stored.path.startsWith(from + path.sep)) continue;
    const moved = { ...stored, path: path.join(to, path.relative(from, stored.path)) };
    await db
      .updateTable('deploys')
      .set({ archive: JSON.stringify(moved) })
      .where('id', '=', id)
      .execute();
  }
}

/** Adopts every artifact. One that fails does not keep the server from starting; its service answers 503. */
async function adoptArtifacts(
  { builder, logger }: AdoptOptions,
  revisions: readonly BuiltRevision[],
  formerRoot: string | undefined,
): Promise<void> {
  const formerFolder = formerRoot && workFolders(formerRoot).artifacts;
  for (const { deployment, revision, artifact } of revisions) {
    try {
      await builder.adopt(withRelativePath(artifact), formerFolder);
    } catch (error) {
      const fields = { deployment, revision, error: describeError(error) };
      logger.warn(fields, 'could not take over an artifact: deploy again');
    }
  }
}
