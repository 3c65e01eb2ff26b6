import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ignoreMissing } from '@berth/runtime/files';
import type { Pack } from 'tar-stream';
import { BACKUP_FORMAT, DATA_PARTS, END_NAME, MANIFEST_NAME, WORK_PARTS } from './backup-layout.ts';
import { walkEntries } from './walk-entries.ts';

export interface BackupParts {
  /** A copy of the database, which nobody writes to. */
  readonly database: string;
  readonly dataFolder: string;
  readonly workRoot: string;
  readonly version: string;
  /** False when objects are kept elsewhere, in a bucket. */
  readonly hasVolumes: boolean;
  readonly nowMs: number;
}

/** Never through a link, and never waiting for somebody to write into a pipe. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Writes all parts of a backup and ends the archive. */
export async function fillBackup(tar: Pack, parts: BackupParts): Promise<void> {
  const { database, dataFolder, workRoot, version, hasVolumes, nowMs } = parts;
  let files = 0;
  const add = async (file: string, name: string) => {
    const stats = await lstat(file).catch(ignoreMissing);
    if (stats?.isFile()) {
      if (await addFile(tar, file, name)) files++;
    } else if (stats?.isDirectory()) {
      await addEntry(tar, headerOf(name, 'directory', stats));
      for await (const entry of walkEntries(file, name)) {
        if (isUnfinished(entry.name)) continue;
        if (entry.kind === 'file') {
          if (await addFile(tar, entry.path, entry.name)) files++;
        } else {
          const type = entry.kind === 'folder' ? 'directory' : 'symlink';
          await addEntry(tar, { ...headerOf(entry.name, type, entry.stats), linkname: entry.target ?? '' });
        }
      }
    }
  };
  const manifest = {
    format: BACKUP_FORMAT,
    version,
    created_at: new Date(nowMs).toISOString(),
    has_volumes: hasVolumes,
    // Scripts of what was built name their place.
    work_root: workRoot,
  };
  await addText(tar, MANIFEST_NAME, manifest);
  await addFile(tar, database, 'data/berth.db');
  for (const part of DATA_PARTS) await add(path.join(dataFolder, part), `data/${part}`);
  for (const part of WORK_PARTS) await add(path.join(workRoot, part), `work/${part}`);
  await addText(tar, END_NAME, { files });
  tar.finalize();
}

/** What is on its way into a volume or a log, which nobody can go on with elsewhere. */
function isUnfinished(name: string): boolean {
  return name.startsWith('work/volumes/.') || name.startsWith('data/logs/.');
}

type EntryHeader = Parameters<Pack['entry']>[0];

function headerOf(name: string, type: 'file' | 'directory' | 'symlink', stats: Stats): EntryHeader {
  // Without owners: a server gives each service a user of its own choice, and shares volumes by a group of its own.
  return { name, type, mtime: stats.mtime, mode: stats.mode & 0o777, size: type === 'file' ? stats.size : 0 };
}

/** Resolves when the archive has room for more. */
function addEntry(tar: Pack, header: EntryHeader, content = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const sink = tar.entry(header, content, (error) => (error ? reject(error) : resolve()));
    sink.on('error', toldElsewhere);
  });
}

/** The archive, a callback or a pipeline says the same; an error event that nobody listens to would end the server. */
function toldElsewhere(): void {}

function addText(tar: Pack, name: string, value: unknown): Promise<void> {
  return addEntry(tar, { name, mode: 0o600 }, `${JSON.stringify(value)}\n`);
}

/** False when it is gone, or no file any more. */
async function addFile(tar: Pack, file: string, name: string): Promise<boolean> {
  const opened = await open(file, READ_FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') return undefined;
    return ignoreMissing(error);
  });
  if (!opened) return false;
  await using handle = opened;
  const stats = await handle.stat();
  if (!stats.isFile()) return false;
  const sink = tar.entry(headerOf(name, 'file', stats));
  sink.on('error', toldElsewhere);
  await pipeline(exactly(handle, stats.size), sink);
  return true;
}

const CHUNK_BYTES = 256 * 1024;

/** `sizeBytes` of a file, which may be written meanwhile: what it has more is left out, what it has less is zeros. */
async function* exactly(handle: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < sizeBytes; ) {
    const wanted = Math.min(CHUNK_BYTES, sizeBytes - position);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    const chunk = bytesRead > 0 ? buffer.subarray(0, bytesRead) : Buffer.alloc(wanted);
    position += chunk.length;
    yield chunk;
  }
}
