import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { StoredArchive } from '@berth/builder';
import type { Database } from '@berth/database';
import type { Logger } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { RESTORED_NAME, WORK_PARTS } from './backup-layout.ts';

export interface AdoptOptions {
  readonly db: Kysely<Database>;
  readonly dataFolder: string;
  readonly workRoot: string;
  readonly logger: Logger;
}

/**
 * Takes over a data folder that was restored from a backup: what services keep goes to where this server keeps it, and
 * revisions learn where their files lie now. Does nothing for any other. May be broken off and run again.
 */
export async function adoptRestored({ db, dataFolder, workRoot, logger }: AdoptOptions): Promise<void> {
  const mark = path.join(dataFolder, RESTORED_NAME);
  if (!existsSync(mark)) return;
  const inside = path.join(dataFolder, 'work');
  if (inside !== workRoot) {
    for (const part of WORK_PARTS) await moveFolder(path.join(inside, part), path.join(workRoot, part));
  }
  const count = await relocateArtifacts(db, path.join(workRoot, 'artifacts'));
  await relocateArchives(db, path.join(workRoot, 'archives'));
  await rm(mark);
  logger.info({ revisions: count }, 'a restored backup is taken over');
}

async function moveFolder(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  await mkdir(path.dirname(to), { recursive: true });
  // Nothing of a server that has not started yet.
  await rm(to, { recursive: true, force: true });
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    await rm(from, { recursive: true });
  });
}

/** The folder of an artifact ends in account, deployment and revision, whatever came before; so do all paths into it. */
async function relocateArtifacts(db: Kysely<Database>, folder: string): Promise<number> {
  const rows = await db
    .selectFrom('revisions')
    .select(['deployment', 'number', 'artifact'])
    .where('artifact', 'is not', null)
    .execute();
  for (const { deployment, number, artifact } of rows) {
    const { kind, path: place } = JSON.parse(artifact ?? 'null') as Artifact & { readonly path: string };
    if (kind !== 'folder') continue;
    const moved = path.join(folder, ...place.split(path.sep).slice(-3));
    await db
      .updateTable('revisions')
      .set({ artifact: artifact?.replaceAll(place, moved) ?? null })
      .where('deployment', '=', deployment)
      .where('number', '=', number)
      .execute();
  }
  return rows.length;
}

/** What unfinished deploys are to be built from. */
async function relocateArchives(db: Kysely<Database>, folder: string): Promise<void> {
  const rows = await db.selectFrom('deploys').select(['id', 'archive']).where('archive', 'is not', null).execute();
  for (const { id, archive } of rows) {
    const stored = JSON.parse(archive ?? 'null') as StoredArchive;
    const moved = { ...stored, path: path.join(folder, path.basename(stored.path)) };
    await db
      .updateTable('deploys')
      .set({ archive: JSON.stringify(moved) })
      .where('id', '=', id)
      .execute();
  }
}
