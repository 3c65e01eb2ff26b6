import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createError, readBerthJson } from '@berth/contract';
import type { ArtifactPlace } from '../files/artifact-places.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { removeTree } from '../files/remove-tree.ts';
import type { ArchiveLimits } from '../intake/archive-limits.ts';
import { checkLinks } from '../intake/check-links.ts';
import { unpackArchive } from '../intake/unpack-archive.ts';
import { createFolderFiles, type ProjectFiles } from '../plan/project-files.ts';
import type { StoredArchive } from '../port/builder.ts';
import { objectOf, parseObject, type SuppliedLibrary, supplyLibrary } from './supply-library.ts';

/** Options of {@link prepareSource}. */
export interface PrepareSourceOptions<Found> {
  /** Where to unpack. `unpacked` exists and is empty. */
  readonly place: Pick<ArtifactPlace, 'unpacked' | 'project'>;
  readonly limits: ArchiveLimits;
  /** Detects what a source tree is; returns undefined if it isn't recognized. */
  detect(files: ProjectFiles): Promise<Found | undefined>;
  /** The files that `detect` looks for, as a list for an error message. */
  readonly lookedFor: string;
  /** Put into projects that depend on it. */
  readonly library?: SuppliedLibrary | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => Promise<void>;
}

/** An unpacked and recognized source tree. */
export interface PreparedSource<Found> {
  readonly found: Found;
  /** Hex SHA-256 of the source tree. */
  readonly sha256: string;
  /** True if `package.json` lists Berth's agent library as a dependency. */
  readonly isAgent: boolean;
  /** Variables that `berth.json` requires. */
  readonly requiredEnv: readonly string[];
}

const AGENT_LIBRARY = '@berth/agent';

/**
 * Unpacks an archive and detects what it contains. The project is then in `place.project`, owned by the server and
 * readable by no one else.
 * @throws BerthError as {@link unpackArchive} and `detect`; `build_failed` if the project isn't recognized.
 */
export async function prepareSource<Found>(
  archive: StoredArchive,
  options: PrepareSourceOptions<Found>,
): Promise<PreparedSource<Found>> {
  const { place, limits, lookedFor, library, signal, say } = options;
  const { tree, fileCount, sizeBytes, sha256 } = await unpackArchive(archive, {
    folder: place.unpacked,
    limits,
    signal,
  });
  await say(`Unpacked ${fileCount} ${fileCount === 1 ? 'file' : 'files'}, ${formatBytes(sizeBytes)}`);

  const detect = async (folder: string) => {
    if (library) await supplyLibrary(folder, library, say);
    return options.detect(createFolderFiles(folder));
  };
  let root = '';
  let found = await detect(place.unpacked);
  const [only, ...more] = tree.topLevel();
  if (found === undefined && only?.isFolder && more.length === 0) {
    root = only.name;
    await say(`The archive holds one folder, ${JSON.stringify(root)}: using it as the project root`);
    found = await detect(join(place.unpacked, root));
    // Files above that folder are not part of the project, so no link may lead there.
    await checkLinks(tree, root);
  }
  if (found === undefined) {
    throw createError(
      'build_failed',
      `No supported project was found in the archive. Looked for: ${lookedFor}. To set the command yourself, add a berth.json with "start".`,
    );
  }
  await rename(join(place.unpacked, root), place.project);
  if (root !== '') await removeTree(place.unpacked);
  await chmod(place.project, 0o700);
  return {
    found,
    sha256,
    isAgent: await isAgentProject(place.project),
    requiredEnv: await readRequiredEnv(place.project),
  };
}

async function readRequiredEnv(project: string): Promise<readonly string[]> {
  const read = readBerthJson((await createFolderFiles(project).readText('berth.json')) ?? '{}');
  return ('file' in read && read.file.required_env) || [];
}

async function isAgentProject(project: string): Promise<boolean> {
  const { dependencies } = parseObject(await createFolderFiles(project).readText('package.json')) ?? {};
  return Object.hasOwn(objectOf(dependencies), AGENT_LIBRARY);
}
