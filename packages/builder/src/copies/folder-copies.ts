import { lstat, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writePrivateFile } from '@berth/kit/node';
import type { Artifact, CommandSandbox, Owner } from '@berth/runtime';
import { relocateScripts } from '../cache/relocate-scripts.ts';
import { type ArtifactPlace, createArtifactPlaces } from '../files/artifact-places.ts';
import { translateDiskError } from '../files/disk-error.ts';
import { ensureFolder } from '../files/ensure-folder.ts';
import { syncTree } from '../files/sync-tree.ts';
import type { LocalCopies } from '../port/builder.ts';
import { packTree } from './pack-tree.ts';
import { unpackTree } from './unpack-tree.ts';

/** Options of {@link createFolderCopies}. */
export interface FolderCopiesOptions {
  readonly folder: string;
  readonly places: ReturnType<typeof createArtifactPlaces>;
  readonly sandbox: Pick<CommandSandbox, 'seal'>;
  /** Runs work that changes a place while no build and no other work does. The place counts as busy meanwhile. */
  occupy<Value>(place: ArtifactPlace, work: () => Promise<Value>): Promise<Value>;
  /** Removes everything at a place. */
  clear(place: ArtifactPlace): Promise<void>;
  /** Removes what `places.list` returned. */
  discardListed(path: string, owner: Owner): Promise<void>;
}

/**
 * Creates the copies of a folder builder. A copy is complete when the file beside its folder has the checksum of
 * `stored`: the folder of a build that was interrupted has none, and that of another build has another one.
 */
export function createFolderCopies(options: FolderCopiesOptions): LocalCopies {
  const { folder, places, sandbox, occupy, clear, discardListed } = options;
  const get = (artifact: Parameters<typeof places.find>[0]): ArtifactPlace => {
    const place = places.find(artifact);
    if (place) return place;
    throw new Error('the artifact is not a folder of this builder');
  };
  const confirm: LocalCopies['confirm'] = async (artifact) => {
    const { checksum } = get(artifact);
    await writePrivateFile(checksum, artifact.stored?.sha256 ?? '');
  };
  return {
    folder,
    idOf: (artifact) => places.find(artifact)?.project,
    has: (artifact) => isComplete(places.find(artifact), artifact),
    pack: async (artifact) => packTree(get(artifact).project),
    async unpack(artifact, tar, { signal }) {
      const place = get(artifact);
      const { owner, project, unpacked } = place;
      await occupy(place, async () => {
        try {
          signal.throwIfAborted();
          await ensureFolder(folder, 0o711, true);
          await clear(place);
          await places.open(place);
          await unpackTree(tar, unpacked, signal);
          const { builtIn } = artifact.stored ?? {};
          if (builtIn !== undefined) await relocateScripts(unpacked, join(builtIn, place.path), project);
          await sandbox.seal(unpacked, owner, { wasSealed: true });
          await syncTree(unpacked);
          await rename(unpacked, project);
          await syncFolder(dirname(project));
          await confirm(artifact);
        } catch (error) {
          tar.destroy();
          await clear(place).catch(() => {});
          throw translateDiskError(error);
        }
      });
    },
    confirm,
    list: async () => (await places.list()).map(({ owner, path }) => ({ owner, id: path })),
    remove: ({ id, owner }) => discardListed(id, owner),
  };
}

/** Returns the checksum of the object that a copy was made from or stored as. */
export const readChecksum = ({ checksum }: ArtifactPlace): Promise<string | undefined> =>
  readFile(checksum, 'utf8').catch(() => undefined);

/** Returns whether a folder of artifacts has a complete copy of an artifact. */
export const hasFolderCopy = (folder: string, artifact: Artifact): Promise<boolean> =>
  isComplete(createArtifactPlaces(folder).find(artifact), artifact);

async function isComplete(place: ArtifactPlace | undefined, { stored }: Artifact): Promise<boolean> {
  if (!place || !(await lstat(place.project).catch(() => undefined))?.isDirectory()) return false;
  // An artifact that was never stored is complete: a revision has it.
  return stored === undefined || (await readChecksum(place)) === stored.sha256;
}
