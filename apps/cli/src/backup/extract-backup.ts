import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, symlink, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { checkArchive, type OnEntry, readArchive } from '@berth/builder/sealed-archive';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { Header } from 'tar-stream';

/** The manifest of a backup. Its layout is that of `apps/server/src/backup/backup-layout.ts`. */
export interface BackupManifest {
  readonly format: number;
  readonly version: string;
  readonly created_at: string;
  readonly has_volumes: boolean;
  /** Absent in backups of older versions, whose key and SQLite database are always included. */
  readonly has_master_key?: boolean;
  readonly database?: 'sqlite' | 'postgres';
}

/** Objects of a bucket that a backup lists and doesn't contain. */
export interface ListedBucket {
  readonly bucket: string;
  readonly objects: number;
  readonly size_bytes: number;
}

/** A backup whose seal was verified. */
export interface CheckedBackup {
  readonly manifest: BackupManifest;
  readonly files: number;
  readonly buckets: readonly ListedBucket[];
  /** False for formats without checksums, in which damaged file contents go unnoticed. */
  readonly hasChecksums: boolean;
}

/** The first layout had no checksums. */
const UNSEALED_FORMAT = 1;
/** The known layouts. */
const FORMATS = [UNSEALED_FORMAT, 2, 3];
const REFUSAL = "This backup can't be restored; nothing was changed.";
const MANIFEST_NAME = 'berth-backup.json';
/** The last entry of a backup without checksums. */
const END_NAME = 'berth-backup-end.json';
/** The folder's own entry, which is the seal. */
const SEAL_NAME = './';
/**
 * Prefixes in the archive and their folders in the data folder. The server's program takes the last two over; see
 * `apps/server/src/backup/restore-state-main.ts`.
 */
const ROOTS = { data: '', work: 'work', database: 'restored-database', objects: 'restored-objects' } as const;

/**
 * Reads a backup to its end and checks that it is complete and unchanged.
 * @throws BerthError `bad_request` for a file that is no backup, comes from a later version, or is truncated or damaged
 */
export async function checkBackup(source: Readable, signal: AbortSignal): Promise<CheckedBackup> {
  let manifest: BackupManifest | undefined;
  let end: { readonly files?: number } | undefined;
  let files = 0;
  const buckets = new Map<string, ListedBucket>();
  const onEntry: OnEntry = async (header, content) => {
    if (!manifest) manifest = await readManifest(header, content);
    else if (header.name === END_NAME) end = JSON.parse(await text(content)) as { files: number };
    else if (header.name !== SEAL_NAME) {
      placeOf('', header.name);
      const [root, bucket = ''] = header.name.split('/');
      if (root === 'objects') buckets.set(bucket, await countObjects(bucket, buckets.get(bucket), content));
      else if (root !== 'database' && header.type === 'file') files++;
    }
  };
  const { isSealed } = await checkArchive(source, { signal, onEntry }).catch((error: Error) => {
    throw BerthError.is(error) && !error.message.startsWith(REFUSAL) ? notABackup(error.message, error) : error;
  });
  if (!manifest) throw notABackup('It is empty.');
  const hasChecksums = manifest.format !== UNSEALED_FORMAT;
  // The database is one more than was counted.
  const isWhole = hasChecksums ? isSealed : end?.files === files - 1;
  if (!isWhole) throw notABackup('The file is truncated: its end is missing.');
  return { manifest, files, buckets: [...buckets.values()], hasChecksums };
}

async function countObjects(
  bucket: string,
  { objects = 0, size_bytes = 0 }: Partial<ListedBucket> = {},
  content: AsyncIterable<Buffer>,
): Promise<ListedBucket> {
  const lines = (await text(content)).split('\n').filter((line) => line !== '');
  const sizes = lines.map((line) => (JSON.parse(line) as { readonly size: number }).size);
  return {
    bucket,
    objects: objects + lines.length,
    size_bytes: sizes.reduce((sum, size) => sum + size, size_bytes),
  };
}

/**
 * Extracts a backup into `folder`, which is empty. Files keep their modes and belong to the caller. Set-id bits are dropped, or a
 * tenant's program could run as the user who restores.
 * @param source a backup that {@link checkBackup} accepted
 */
export async function extractBackup(source: Readable, folder: string, signal: AbortSignal): Promise<void> {
  const made = new Set([folder]);
  const folders: { readonly place: string; readonly header: Header }[] = [];

  const ensureFolder = async (place: string): Promise<void> => {
    if (made.has(place)) return;
    await ensureFolder(path.dirname(place));
    await mkdir(place, { mode: 0o700 });
    made.add(place);
  };
  const describe = async (place: string, { mode, mtime }: Header): Promise<void> => {
    await chmod(place, mode & 0o777);
    await utimes(place, mtime, mtime);
  };
  /** All folders are created here and nothing is written twice, so no path leads through a link. */
  const onEntry: OnEntry = async (header, content) => {
    if ([MANIFEST_NAME, END_NAME, SEAL_NAME].includes(header.name)) return;
    const place = placeOf(folder, header.name);
    if (header.type === 'directory') {
      await ensureFolder(place);
      folders.push({ place, header });
      return;
    }
    await ensureFolder(path.dirname(place));
    if (header.type === 'symlink') {
      await symlink(header.linkname, place);
      return;
    }
    await pipeline(content, createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true }), { signal });
    await describe(place, header);
  };
  await readArchive(source, { signal, onEntry });
  // Last, because a folder's mode may forbid writing to it.
  for (const { place, header } of folders.toReversed()) await describe(place, header);
  await using handle = await open(folder);
  await handle.sync();
}

async function readManifest(header: Header, content: AsyncIterable<Buffer>): Promise<BackupManifest> {
  if (header.name !== MANIFEST_NAME) throw notABackup('The file is not a Berth backup.');
  const manifest = JSON.parse(await text(content)) as BackupManifest;
  if (FORMATS.includes(manifest.format)) return manifest;
  throw notABackup(`It was made by Berth ${manifest.version}, which is newer than this version. Update Berth first.`);
}

/** Maps `data/…` and `work/…` to paths in the data folder. @throws BerthError for any other name */
function placeOf(folder: string, name: string): string {
  const [root = '', ...parts] = name.replace(/\/$/, '').split('/');
  const inside = Object.hasOwn(ROOTS, root) ? ROOTS[root as keyof typeof ROOTS] : undefined;
  const isSafe = parts.length > 0 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (inside === undefined || !isSafe) throw notABackup(`It holds "${name}", which is not part of a backup.`);
  return path.join(folder, inside, ...parts);
}

function notABackup(reason: string, cause?: unknown): BerthError {
  const message = `${REFUSAL} ${reason}`;
  return createError('bad_request', message, { cause });
}
