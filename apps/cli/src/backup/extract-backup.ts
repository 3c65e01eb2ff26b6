import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, symlink, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { BerthError } from '@berth/kit';
import { extract, type Header } from 'tar-stream';

/** What a backup says of itself. Its layout is that of `apps/server/src/backup/backup-layout.ts`. */
export interface BackupManifest {
  readonly format: number;
  readonly version: string;
  readonly created_at: string;
  readonly has_volumes: boolean;
}

export interface ExtractedBackup {
  readonly manifest: BackupManifest;
  readonly files: number;
}

/** The layouts that are known. */
const FORMATS = [1];
const MANIFEST_NAME = 'berth-backup.json';
const END_NAME = 'berth-backup-end.json';
/** The data folder's own parts, and those that services keep. */
const ROOTS = { data: '', work: 'work' } as const;

/**
 * Writes a backup's files below `folder`, which is empty, as the caller's own and with their modes. Set-id bits are not
 * taken: what a tenant marked would run as who restores.
 * @throws BerthError `bad_request` for what is no backup, is one of a later version, or was cut off.
 */
export async function extractBackup(source: Readable, folder: string, signal: AbortSignal): Promise<ExtractedBackup> {
  const made = new Set([folder]);
  const folders: { readonly place: string; readonly header: Header }[] = [];
  let manifest: BackupManifest | undefined;
  let end: { readonly files: number } | undefined;
  let files = 0;

  const ensureFolder = async (place: string): Promise<void> => {
    if (made.has(place)) return;
    await ensureFolder(path.dirname(place));
    await mkdir(place, { mode: 0o700 });
    made.add(place);
  };
  /** Folders are made here and nothing is written twice, so no name leads through a link. */
  const write = async (header: Header, body: AsyncIterable<Uint8Array>): Promise<void> => {
    const place = placeOf(folder, header.name);
    if (header.type === 'directory') {
      await ensureFolder(place);
      folders.push({ place, header });
      return;
    }
    await ensureFolder(path.dirname(place));
    if (header.type === 'symlink') {
      await symlink(header.linkname ?? '', place);
      return;
    }
    await pipeline(body, createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true }), { signal });
    await describe(place, header);
    files++;
  };
  const describe = async (place: string, { mode, mtime }: Header): Promise<void> => {
    await chmod(place, mode & 0o777);
    await utimes(place, mtime, mtime);
  };

  const tar = extract();
  const read = async () => {
    for await (const entry of tar) {
      const { header } = entry;
      const body = entry as AsyncIterable<Uint8Array>;
      if (!manifest) manifest = await readManifest(header, body);
      else if (header.name === END_NAME) end = JSON.parse(await textOf(body)) as { files: number };
      else await write(header, body);
      entry.resume();
    }
  };
  await Promise.all([pipeline(source, createZstdDecompress(), tar, { signal }), read()]).catch((error: Error) => {
    signal.throwIfAborted();
    throw BerthError.is(error) ? error : notABackup(`It can't be read: ${error.message}.`, error);
  });
  if (!manifest || !end) throw notABackup('It was cut off: its end is missing.');
  // Last, for a folder may not allow to be written to.
  for (const { place, header } of folders.toReversed()) await describe(place, header);
  await syncFolder(folder);
  return { manifest, files };
}

async function readManifest(header: Header, entry: AsyncIterable<Uint8Array>): Promise<BackupManifest> {
  if (header.name !== MANIFEST_NAME) throw notABackup('It is not one of Berth.');
  const manifest = JSON.parse(await textOf(entry)) as BackupManifest;
  if (FORMATS.includes(manifest.format)) return manifest;
  throw notABackup(`It was made by Berth ${manifest.version}, which is newer than this. Update Berth first.`);
}

/** `data/…` and `work/…` as paths of the data folder. @throws BerthError for every other name. */
function placeOf(folder: string, name: string): string {
  const [root = '', ...parts] = name.replace(/\/$/, '').split('/');
  const inside = root in ROOTS ? ROOTS[root as keyof typeof ROOTS] : undefined;
  const isSafe = parts.length > 0 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (inside === undefined || !isSafe) throw notABackup(`It holds "${name}", which no backup does.`);
  return path.join(folder, inside, ...parts);
}

async function textOf(entry: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(entry)).toString('utf8');
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

function notABackup(reason: string, cause?: Error): BerthError {
  const message = `This is no backup that can be restored. ${reason}`;
  return new BerthError({ code: 'bad_request', status: 400, message, cause });
}
