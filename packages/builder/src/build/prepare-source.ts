import { chmod, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { ArtifactPlace } from '../artifact-places.ts';
import type { StoredArchive } from '../builder.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { removeTree } from '../files/remove-tree.ts';
import type { ArchiveLimits } from '../intake/archive-limits.ts';
import { checkLinks } from '../intake/check-links.ts';
import { unpackArchive } from '../intake/unpack-archive.ts';
import { detectPlan, LOOKED_FOR } from '../plan/detect-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { HasProgram } from '../plan/programs.ts';
import { createFolderFiles } from '../plan/project-files.ts';

export interface PrepareSourceOptions {
  /** `unpacked` exists and is empty. */
  readonly place: ArtifactPlace;
  readonly limits: ArchiveLimits;
  readonly hasProgram: HasProgram;
  readonly signal: AbortSignal;
  readonly say: (line: string) => Promise<void>;
}

export interface PreparedSource {
  readonly plan: Plan;
  /** Hex SHA-256 of the source tree. */
  readonly sha256: string;
}

/**
 * Unpacks an archive and finds out what it is; the project then lies in `place.project`, the server's own and readable by nobody else.
 * @throws BerthError as {@link unpackArchive} and {@link detectPlan}; `build_failed` when nothing is recognised.
 */
export async function prepareSource(archive: StoredArchive, options: PrepareSourceOptions): Promise<PreparedSource> {
  const { place, limits, hasProgram, signal, say } = options;
  const { tree, fileCount, sizeBytes, sha256 } = await unpackArchive(archive, {
    folder: place.unpacked,
    limits,
    signal,
  });
  await say(`Unpacked ${fileCount} ${fileCount === 1 ? 'file' : 'files'}, ${formatBytes(sizeBytes)}`);

  let root = '';
  let plan = await detectPlan(createFolderFiles(place.unpacked), hasProgram);
  const [only, ...more] = tree.topLevel();
  if (plan === undefined && only?.isFolder && more.length === 0) {
    root = only.name;
    await say(`The archive holds one folder, ${JSON.stringify(root)}: the project is taken to be in it`);
    plan = await detectPlan(createFolderFiles(join(place.unpacked, root)), hasProgram);
    // What is above that folder does not come along, so no link may lead there.
    await checkLinks(tree, root);
  }
  if (plan === undefined) {
    throw createError(
      'build_failed',
      `Nothing in the archive says what kind of project it is. Looked for: ${LOOKED_FOR}. A berth.json with "start" names the command yourself.`,
    );
  }
  await rename(join(place.unpacked, root), place.project);
  if (root !== '') await removeTree(place.unpacked);
  await chmod(place.project, 0o700);
  return { plan, sha256 };
}
