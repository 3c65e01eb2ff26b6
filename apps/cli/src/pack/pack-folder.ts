import { mkdtemp, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { heaviestPaths, isSecretFile, type PackEntry, packError } from '@berth/client/pack';
import { LIMITS } from '@berth/contract';
import { formatBytes } from '../output/format-bytes.ts';
import { collectEntries } from './collect-entries.ts';
import { writeArchive } from './write-archive.ts';

/** Options of {@link packFolder}. */
export interface PackFolderOptions {
  /** Absolute. */
  readonly folder: string;
  /** Folder for the archive until it is sent. */
  readonly temporaryFolder: string;
  readonly signal?: AbortSignal;
  readonly onWarning: (message: string) => void;
  /** The largest archive the platform takes. */
  readonly limitBytes?: number;
}

/** An archive on disk, deleted when it is disposed. */
export interface PackedFolder extends AsyncDisposable {
  readonly file: string;
  readonly sizeBytes: number;
  /** Number of files and links. */
  readonly files: number;
  /** `.env` files in it. */
  readonly secretFiles: readonly string[];
}

/**
 * Packs a folder into a temporary archive that only its owner can read.
 * @throws `archive_invalid` for an empty folder, one too large (naming what is large), or one with a link outside
 */
export async function packFolder(options: PackFolderOptions): Promise<PackedFolder> {
  const { signal, onWarning, limitBytes = LIMITS.archiveBytes } = options;
  // The folder may itself be a link; links in it are resolved against its real path.
  const folder = await realpath(options.folder);
  const entries = await collectEntries(folder, { onWarning, ...(signal ? { signal } : {}) });
  const leaves = entries.filter((entry) => entry.kind !== 'folder');
  if (leaves.length === 0)
    throw packError(
      `There is nothing to deploy in ${folder}: it is empty, or .gitignore and .berthignore exclude every file.`,
    );

  const scratch = await mkdtemp(path.join(options.temporaryFolder, 'berth-'));
  const dispose = () => rm(scratch, { recursive: true, force: true });
  try {
    const file = path.join(scratch, 'source.tar.gz');
    const sizeBytes = await writeArchive({ root: folder, entries, file, limitBytes, ...(signal ? { signal } : {}) });
    if (sizeBytes === undefined) throw tooLarge(entries, limitBytes);
    return {
      file,
      sizeBytes,
      files: leaves.length,
      secretFiles: leaves.map((entry) => entry.path).filter(isSecretFile),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function tooLarge(entries: readonly PackEntry[], limitBytes: number) {
  const heaviest = heaviestPaths(entries, 5).map(
    ({ path, sizeBytes }) => `  ${formatBytes(sizeBytes).padStart(8)}  ${path}`,
  );
  return packError(
    [
      `The archive is over ${formatBytes(limitBytes)} (${formatBytes(totalBytes(entries))} unpacked). Largest files:`,
      ...heaviest,
      "Add files that the service doesn't need to .berthignore. Store data in a volume: --volume /data=my-data",
    ].join('\n'),
  );
}

function totalBytes(entries: readonly PackEntry[]): number {
  return entries.reduce((total, entry) => total + (entry.kind === 'file' ? entry.sizeBytes : 0), 0);
}
