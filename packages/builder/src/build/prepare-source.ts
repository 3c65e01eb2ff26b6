import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { ArtifactPlace } from '../files/artifact-places.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { removeTree } from '../files/remove-tree.ts';
import type { ArchiveLimits } from '../intake/archive-limits.ts';
import { checkLinks } from '../intake/check-links.ts';
import { unpackArchive } from '../intake/unpack-archive.ts';
import { createFolderFiles, type ProjectFiles } from '../plan/project-files.ts';
import type { StoredArchive } from '../port/builder.ts';

export interface PrepareSourceOptions<Found> {
  /** `unpacked` exists and is empty. */
  readonly place: Pick<ArtifactPlace, 'unpacked' | 'project'>;
  readonly limits: ArchiveLimits;
  /** Says what a tree is; undefined when nothing in it does. */
  detect(files: ProjectFiles): Promise<Found | undefined>;
  /** What `detect` looks for, as a sentence's list. */
  readonly lookedFor: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => Promise<void>;
}

export interface PreparedSource<Found> {
  readonly found: Found;
  /** Hex SHA-256 of the source tree. */
  readonly sha256: string;
}

/**
 * Unpacks an archive and finds out what it is; the project then lies in `place.project`, the server's own and readable by nobody else.
 * @throws BerthError as {@link unpackArchive} and `detect`; `build_failed` when nothing is recognised.
 */
export async function prepareSource<Found>(
  archive: StoredArchive,
  options: PrepareSourceOptions<Found>,
): Promise<PreparedSource<Found>> {
  const { place, limits, detect, lookedFor, signal, say } = options;
  const { tree, fileCount, sizeBytes, sha256 } = await unpackArchive(archive, {
    folder: place.unpacked,
    limits,
    signal,
  });
  await say(`Unpacked ${fileCount} ${fileCount === 1 ? 'file' : 'files'}, ${formatBytes(sizeBytes)}`);

  let root = '';
  let found = await detect(createFolderFiles(place.unpacked));
  const [only, ...more] = tree.topLevel();
  if (found === undefined && only?.isFolder && more.length === 0) {
    root = only.name;
    await say(`The archive holds one folder, ${JSON.stringify(root)}: the project is taken to be in it`);
    found = await detect(createFolderFiles(join(place.unpacked, root)));
    // What is above that folder does not come along, so no link may lead there.
    await checkLinks(tree, root);
  }
  if (found === undefined) {
    throw createError(
      'build_failed',
      `Nothing in the archive says what kind of project it is. Looked for: ${lookedFor}. A berth.json with "start" names the command yourself.`,
    );
  }
  await rename(join(place.unpacked, root), place.project);
  if (root !== '') await removeTree(place.unpacked);
  await chmod(place.project, 0o700);
  return { found, sha256 };
}
