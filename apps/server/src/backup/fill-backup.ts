import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { AddEntry, EntryHeader } from '@berth/builder/sealed-archive';
import type { DatabaseDump } from '@berth/database';
import type { BucketObject } from '@berth/object-store/s3';
import { ignoreMissing, openFolder } from '@berth/runtime/files';
import {
  BACKUP_FORMATS,
  DATA_PARTS,
  MANIFEST_NAME,
  OBJECTS_FOLDER,
  partName,
  TABLES_NAME,
  WORK_PARTS,
} from './backup-layout.ts';

/** A bucket whose objects a backup lists. */
export interface BackedUpBucket {
  readonly name: string;
  /** Yields its objects, sorted by key. */
  list(): AsyncIterable<BucketObject>;
}

/** The parts of a backup. */
export interface BackupParts {
  /** A file with a copy of the database that no one writes to, or one moment of a Postgres database. */
  readonly database: string | DatabaseDump;
  /** Buckets whose objects are listed. */
  readonly buckets: readonly BackedUpBucket[];
  /** False when the master key is kept elsewhere than in the data folder. */
  readonly hasMasterKey: boolean;
  readonly dataFolder: string;
  readonly workRoot: string;
  readonly version: string;
  /** False when objects are in a bucket. */
  readonly hasVolumes: boolean;
  readonly nowMs: number;
}

/** Never follows a link, and never blocks on a pipe without a writer. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Adds all parts of a backup to an archive. */
export async function fillBackup(addEntry: AddEntry, parts: BackupParts): Promise<void> {
  const { database, buckets, dataFolder, workRoot, version, hasVolumes, hasMasterKey, nowMs } = parts;
  const isFile = typeof database === 'string';
  const add = async (file: string, name: string) => {
    const stats = await lstat(file).catch(ignoreMissing);
    if (stats?.isFile()) {
      await addFile(addEntry, file, name);
    } else if (stats?.isDirectory()) {
      await addEntry(headerOf(name, 'directory', stats));
      for await (const entry of walkEntries(file, name)) {
        if (isUnfinished(entry.name)) continue;
        if (entry.kind === 'file') await addFile(addEntry, entry.path, entry.name);
        else {
          const type = entry.kind === 'folder' ? 'directory' : 'symlink';
          await addEntry({ ...headerOf(entry.name, type, entry.stats), linkname: entry.target ?? '' });
        }
      }
    }
  };
  const manifest = {
    format: isFile && buckets.length === 0 ? BACKUP_FORMATS.plain : BACKUP_FORMATS.extended,
    version,
    created_at: new Date(nowMs).toISOString(),
    has_volumes: hasVolumes,
    has_master_key: hasMasterKey,
    database: isFile ? 'sqlite' : 'postgres',
    buckets: buckets.map(({ name }) => name),
    // Installed scripts contain absolute paths.
    work_root: workRoot,
  };
  await addText(addEntry, MANIFEST_NAME, `${JSON.stringify(manifest)}\n`);
  if (isFile) await addFile(addEntry, database, 'data/berth.db');
  else await addTables(addEntry, database);
  // After the database, which may name them, and before the files, whose reading takes long.
  for (const bucket of buckets) await addObjects(addEntry, bucket);
  for (const part of DATA_PARTS.filter((name) => hasMasterKey || name !== 'master.key'))
    await add(path.join(dataFolder, part), `data/${part}`);
  for (const part of WORK_PARTS) await add(path.join(workRoot, part), `work/${part}`);
}

async function addTables(addEntry: AddEntry, { tables, chunks }: DatabaseDump): Promise<void> {
  await addText(addEntry, TABLES_NAME, `${JSON.stringify(tables)}\n`);
  for (const table of tables) {
    let count = 0;
    for await (const chunk of chunks(table)) {
      await addText(addEntry, partName(`database/${table.schema}.${table.name}`, ++count), chunk);
    }
  }
}

/** Objects of one file of a list. */
const LISTED_OBJECTS = 5_000;

async function addObjects(addEntry: AddEntry, { name, list }: BackedUpBucket): Promise<void> {
  let lines: string[] = [];
  let count = 0;
  const flush = async () => {
    await addText(addEntry, partName(`${OBJECTS_FOLDER}/${name}`, ++count), lines.join(''));
    lines = [];
  };
  for await (const { key, sizeBytes, etag, version } of list()) {
    lines.push(`${JSON.stringify({ key, size: sizeBytes, etag, version })}\n`);
    if (lines.length === LISTED_OBJECTS) await flush();
  }
  if (lines.length > 0) await flush();
}

async function addText(addEntry: AddEntry, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  await addEntry({ name, mode: 0o600, size: bytes.length }, [bytes]);
}

/** True for unfinished uploads and log files, which can't be continued elsewhere. */
function isUnfinished(name: string): boolean {
  return name.startsWith('work/volumes/.') || name.startsWith('data/logs/.');
}

function headerOf(name: string, type: 'file' | 'directory' | 'symlink', stats: Stats): EntryHeader {
  // Owners are left out: each server assigns users to services and groups to volumes by itself.
  return { name, type, mtime: stats.mtime, mode: stats.mode & 0o777, size: type === 'file' ? stats.size : 0 };
}

/** Adds a file; does nothing when it was deleted or is no longer a file. */
async function addFile(addEntry: AddEntry, file: string, name: string): Promise<void> {
  const opened = await open(file, READ_FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') return undefined;
    return ignoreMissing(error);
  });
  if (!opened) return;
  await using handle = opened;
  const stats = await handle.stat();
  if (stats.isFile()) await addEntry(headerOf(name, 'file', stats), exactly(handle, stats.size));
}

const CHUNK_BYTES = 256 * 1024;

/** Yields exactly `sizeBytes` of a file that may change meanwhile: extra bytes are dropped, missing bytes are zeros. */
async function* exactly(handle: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < sizeBytes; ) {
    const wanted = Math.min(CHUNK_BYTES, sizeBytes - position);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    const chunk = bytesRead > 0 ? buffer.subarray(0, bytesRead) : Buffer.alloc(wanted);
    position += chunk.length;
    yield chunk;
  }
}

/** An entry of a folder for a backup. */
interface WalkedEntry {
  /** `prefix` and the path from the root, with `/`. */
  readonly name: string;
  readonly kind: 'folder' | 'file' | 'link';
  readonly stats: Stats;
  /** Valid until the next entry is requested. Open it with `O_NOFOLLOW`. */
  readonly path: string;
  /** The target of a link. */
  readonly target?: string;
}

/**
 * Yields folders, files and links below `root`, each folder before its entries. Services write there meanwhile, so each folder is held
 * open and its entries are opened relative to it: a folder replaced by a link is never followed.
 */
async function* walkEntries(root: string, prefix: string): AsyncGenerator<WalkedEntry> {
  const handle = await openFolder(root);
  if (!handle) return;
  await using folder = handle;
  const base = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : root;
  for (const child of (await readdir(base)).sort()) {
    const place = path.join(base, child);
    const name = `${prefix}/${child}`;
    const stats = await lstat(place).catch(ignoreMissing);
    if (stats?.isDirectory()) {
      yield { name, kind: 'folder', stats, path: place };
      yield* walkEntries(place, name);
    } else if (stats?.isFile()) yield { name, kind: 'file', stats, path: place };
    else if (stats?.isSymbolicLink()) {
      const target = await readlink(place).catch(ignoreMissing);
      if (target !== undefined) yield { name, kind: 'link', stats, path: place, target };
    }
  }
}
