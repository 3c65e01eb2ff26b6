import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import { createDiskMeter } from '@berth/kit/node';
import { runServerProgram } from '../server-program/run-server-program.ts';

/** Parts of the disk use, in display order. */
export const DISK_PARTS = {
  database: 'Database',
  logs: 'Logs',
  volumes: 'Volumes',
  deleted_volumes: 'Deleted volumes that can still be restored',
  current_artifacts: 'Live built revisions',
  kept_artifacts: 'Built revisions to roll back to',
  other_artifacts: 'Running builds and leftovers of failed ones',
  archives: 'Uploaded sources',
  caches: 'Build caches',
  backups: 'Backups in the data folder',
  reserve: 'Disk reserve',
  other: 'Everything else',
} as const;

/** A part of the disk use; see {@link DISK_PARTS}. */
export type DiskPart = keyof typeof DISK_PARTS;

/** Disk use of a deployment, without volumes, which belong to the account. */
export interface DeploymentUse {
  readonly deployment: string;
  readonly account: string;
  readonly artifactBytes: number;
  readonly cacheBytes: number;
}

/** Disk use of a server's data. A file with several names counts once, in the first of its {@link DISK_PARTS}. */
export interface DiskUse {
  readonly dataFolder: string;
  /** The work root, inside or outside the data folder. */
  readonly workRoot: string;
  readonly parts: Readonly<Record<DiskPart, number>>;
  /** Largest first. */
  readonly deployments: readonly DeploymentUse[];
  readonly totalBytes: number;
  /** Space on each disk that holds these folders. */
  readonly disks: readonly { readonly folder: string; readonly freeBytes: number; readonly sizeBytes: number }[];
  /** Number of artifacts that are images on a container engine. */
  readonly imageCount: number;
  /** Why the records of the server couldn't be read: then artifacts that serve can't be told from others. */
  readonly problem: string | undefined;
}

/** Files of a data folder that say where its database is. Source: `apps/server/src/data-folder/platform-folders.ts`. */
const SQLITE_NAME = 'berth.db';
const POSTGRES_NAME = 'postgres';

/** Returns whether a server has used a folder as its data folder. */
export const isDataFolder = (folder: string): boolean =>
  [SQLITE_NAME, POSTGRES_NAME].some((name) => existsSync(path.join(folder, name)));

/** Options of {@link readDiskUse}. */
export interface DiskUseOptions {
  /** Has BERTH_DATABASE_URL when the database is in Postgres. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Unit of `st_blocks`. Source: stat(2). */
const BLOCK_BYTES = 512;

/**
 * Reads the disk use of a data folder. It needs no server, doesn't disturb a running one, and follows no link.
 * @throws BerthError `not_found` when the folder is no data folder
 */
export async function readDiskUse(folder: string, options: DiskUseOptions): Promise<DiskUse> {
  if (!isDataFolder(folder)) {
    const message = `${folder} is not a data folder: it has no ${SQLITE_NAME}. Pass the server's folder with --data.`;
    throw createError('not_found', message);
  }
  const dataFolder = realpathSync(folder);
  const workRoot = findWorkRoot(dataFolder);
  const records = await readDiskRecords(dataFolder, options);
  const tally = createTally();
  const uses = new Map<string, { account: string; deployment: string; artifactBytes: number; cacheBytes: number }>();
  const useOf = (account: string, deployment: string) => {
    const key = `${account}/${deployment}`;
    const use = uses.get(key) ?? { account, deployment, artifactBytes: 0, cacheBytes: 0 };
    uses.set(key, use);
    return use;
  };

  // In this order: what a cache shares with a revision goes when the revision does.
  const artifacts = path.join(workRoot, 'artifacts');
  const revisions = await tally.openTree('other_artifacts', artifacts, 3);
  const partOf = (revision: string): DiskPart => {
    const found = records.artifacts.get(revision);
    if (found === undefined) return 'other_artifacts';
    return found.isCurrent ? 'current_artifacts' : 'kept_artifacts';
  };
  for (const part of ['current_artifacts', 'kept_artifacts', 'other_artifacts'] as const) {
    for (const revision of revisions.filter((one) => partOf(one) === part)) {
      const [account = '', deployment = ''] = revision.split(path.sep);
      useOf(account, deployment).artifactBytes += await tally.add(part, path.join(artifacts, revision));
    }
  }
  const caches = path.join(workRoot, 'cache');
  for (const owner of await tally.openTree('caches', caches, 2)) {
    const [account = '', deployment = ''] = owner.split(path.sep);
    useOf(account, deployment).cacheBytes += await tally.add('caches', path.join(caches, owner));
  }
  const volumes = path.join(workRoot, 'volumes');
  for (const volume of await tally.openTree('volumes', volumes, 2)) {
    await tally.add(records.deletedVolumes.has(volume) ? 'deleted_volumes' : 'volumes', path.join(volumes, volume));
  }
  await tally.add('archives', path.join(workRoot, 'archives'));
  const known = new Set([artifacts, caches, volumes, path.join(workRoot, 'archives'), workRoot]);
  for (const root of new Set([workRoot, dataFolder])) {
    for (const name of await tally.openTree('other', root, 1)) {
      const place = path.join(root, name);
      if (!known.has(place)) await tally.add(root === dataFolder ? partOfData(name) : 'other', place);
    }
  }

  const { parts } = tally;
  return {
    dataFolder,
    workRoot,
    parts,
    deployments: [...uses.values()].sort((a, b) => sizeOf(b) - sizeOf(a)),
    totalBytes: Object.values(parts).reduce((sum, bytes) => sum + bytes, 0),
    disks: await readDisks(new Set([dataFolder, workRoot])),
    imageCount: records.imageCount,
    problem: records.problem,
  };
}

/** Returns the total disk use of a deployment. */
export const sizeOf = ({ artifactBytes, cacheBytes }: DeploymentUse): number => artifactBytes + cacheBytes;

function createTally() {
  const meter = createDiskMeter();
  const parts = Object.fromEntries(Object.keys(DISK_PARTS).map((part) => [part, 0])) as Record<DiskPart, number>;
  const add = async (part: DiskPart, place: string): Promise<number> => {
    const bytes = await meter.add(place);
    parts[part] += bytes;
    return bytes;
  };
  /** Counts the folders of the upper levels themselves, and what is no folder there, and answers what lies `depth` levels down. */
  const openTree = async (part: DiskPart, root: string, depth: number, below = ''): Promise<string[]> => {
    const stats = await lstat(path.join(root, below)).catch(() => undefined);
    if (!stats?.isDirectory()) {
      await add(part, path.join(root, below));
      return [];
    }
    parts[part] += stats.blocks * BLOCK_BYTES;
    const names = await readdir(path.join(root, below)).catch((): string[] => []);
    const places = names.map((name) => path.join(below, name));
    if (depth === 1) return places;
    const found: string[] = [];
    for (const place of places) found.push(...(await openTree(part, root, depth - 1, place)));
    return found;
  };
  return { parts, add, openTree };
}

/** Source of the names: `apps/server/src/data-folder/platform-folders.ts`, `disk/disk-reserve.ts`, `backup/create-backups.ts` beside it. */
function partOfData(name: string): DiskPart {
  if (name.startsWith('berth.db')) return 'database';
  if (name === 'logs') return 'logs';
  if (name === 'reserve') return 'reserve';
  return name === 'backups' || name === 'backup.db' || name.endsWith('.tar.zst') ? 'backups' : 'other';
}

/** Source: `apps/server/src/data-folder/data-place.ts`. */
function findWorkRoot(dataFolder: string): string {
  const inside = path.join(dataFolder, 'work');
  try {
    const { work_root: root } = JSON.parse(readFileSync(path.join(dataFolder, 'place.json'), 'utf8')) as {
      readonly work_root?: string;
    };
    return root !== undefined && existsSync(root) ? realpathSync(root) : inside;
  } catch {
    // Of a server that never got that far, or of an earlier version.
    return inside;
  }
}

async function readDisks(folders: ReadonlySet<string>): Promise<DiskUse['disks']> {
  const disks = new Map<number, DiskUse['disks'][number]>();
  for (const folder of folders) {
    const stats = await lstat(folder).catch(() => undefined);
    if (stats === undefined || disks.has(stats.dev)) continue;
    const { bavail, blocks, bsize } = await statfs(folder);
    disks.set(stats.dev, { folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize });
  }
  return [...disks.values()];
}

interface RevisionRow {
  readonly artifact: string;
  readonly is_current: number;
}

interface VolumeRow {
  readonly account_id: string;
  readonly storage_id: string;
}

/**
 * Reads what the server's database knows of the files beside it. Source of the tables: `@berth/database`.
 * @returns `artifacts` by paths below their folder, those that some revision has, and whether it serves; `deletedVolumes` as
 *   `<account>/<storage id>`; `problem` says why nothing could be read
 */
async function readDiskRecords(dataFolder: string, options: DiskUseOptions) {
  const artifacts = new Map<string, { readonly isCurrent: boolean }>();
  const deletedVolumes = new Set<string>();
  try {
    const isOnPostgres = existsSync(path.join(dataFolder, POSTGRES_NAME));
    const rows = isOnPostgres ? await readPostgres(options) : readSqlite(path.join(dataFolder, SQLITE_NAME));
    let imageCount = 0;
    for (const row of rows) {
      if ('storage_id' in row) {
        deletedVolumes.add(`${row.account_id}/${row.storage_id}`);
        continue;
      }
      const { path: place } = JSON.parse(row.artifact) as { readonly path?: string };
      if (place === undefined) imageCount++;
      else artifacts.set(place, { isCurrent: row.is_current === 1 || artifacts.get(place)?.isCurrent === true });
    }
    return { artifacts, imageCount, deletedVolumes, problem: undefined };
  } catch (error) {
    const problem = `The database couldn't be read: ${(error as Error).message}.`;
    return { artifacts, imageCount: 0, deletedVolumes, problem };
  }
}

function readSqlite(file: string): readonly (RevisionRow | VolumeRow)[] {
  // Loaded late: Node 22 prints a warning when it loads this module.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  using database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const revisions = database
    .prepare(
      `SELECT r.artifact, d.name IS NOT NULL AS is_current FROM revisions r LEFT JOIN deployments d
         ON d.account_id = r.account_id AND d.name = r.deployment AND d.current_revision = r.revision
         WHERE r.artifact IS NOT NULL`,
    )
    .all();
  const volumes = database.prepare('SELECT account_id, storage_id FROM deleted_volumes').all();
  return [...revisions, ...volumes] as unknown as readonly (RevisionRow | VolumeRow)[];
}

async function readPostgres({ environment, signal }: DiskUseOptions): Promise<readonly (RevisionRow | VolumeRow)[]> {
  if (!environment['BERTH_DATABASE_URL']) throw new Error('BERTH_DATABASE_URL is not set, as it is for the server');
  const rows: (RevisionRow | VolumeRow)[] = [];
  const isDone = await runServerProgram<RevisionRow | VolumeRow>({
    program: 'disk/disk-records-main.ts',
    words: [],
    environment,
    signal,
    onLine: (row) => void rows.push(row),
  });
  if (isDone) return rows;
  throw new Error('the reason is above');
}
