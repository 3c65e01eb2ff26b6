import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FolderArtifact } from '@berth/runtime';
import { createArtifactPlaces } from '../files/artifact-places.ts';
import { DEFAULT_ARCHIVE_LIMITS } from '../intake/archive-limits.ts';
import { STATIC_FOLDER } from '../site/install-static-server.ts';
import { packTree } from './pack-tree.ts';

/** Folders that an installation or a build makes again, and that are made for the machine they are on. */
const INSTALLED: ReadonlySet<string> = new Set([
  'node_modules',
  '.venv',
  'vendor/bundle',
  'target',
  STATIC_FOLDER,
  `${STATIC_FOLDER}/python`,
]);

/** The source of a built tree, which is the tree without what can be installed again. */
export interface BuiltSource {
  readonly files: number;
  readonly sizeBytes: number;
  /** Why no builder takes it; undefined when one does. */
  readonly problem: string | undefined;
  /** Returns it as a tar. Errors are those of the stream. */
  pack(): Readable;
}

/**
 * Finds the source of an artifact of the process runtime: source archives aren't kept, but a built tree contains the source. Files that
 * the build wrote are part of it, and a build writes them again.
 * @param folder The folder of artifacts.
 * @returns undefined when the artifact isn't in the folder.
 */
export async function findBuiltSource(folder: string, artifact: FolderArtifact): Promise<BuiltSource | undefined> {
  const project = createArtifactPlaces(folder).find(artifact)?.project;
  if (project === undefined || !(await lstat(project).catch(() => undefined))?.isDirectory()) return undefined;
  // A static site's folders are shared too, and are its source.
  const isSite = artifact.command[1]?.startsWith(`${STATIC_FOLDER}/`) === true;
  const shared = isSite ? ['node_modules', '.venv'] : artifact.sharedFolders;
  const leftOut = new Set([STATIC_FOLDER, ...shared.filter((name) => INSTALLED.has(name))]);
  const { files, sizeBytes } = await measure(project, '', leftOut);
  const { entries, unpackedBytes } = DEFAULT_ARCHIVE_LIMITS;
  return {
    files,
    sizeBytes,
    problem:
      files > entries || sizeBytes > unpackedBytes
        ? `its source has ${files} files and ${sizeBytes} bytes, more than a build takes`
        : undefined,
    pack: () => packTree(project, leftOut),
  };
}

async function measure(root: string, folder: string, leftOut: ReadonlySet<string>) {
  let files = 0;
  let sizeBytes = 0;
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (leftOut.has(path)) continue;
    files++;
    if (entry.isDirectory()) {
      const inner = await measure(root, path, leftOut);
      files += inner.files;
      sizeBytes += inner.sizeBytes;
    } else if (entry.isFile()) sizeBytes += (await lstat(join(root, path))).size;
  }
  return { files, sizeBytes };
}
