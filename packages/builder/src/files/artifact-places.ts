import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { createLimiter } from '@berth/kit';
import type { Artifact, FolderArtifact, Owner } from '@berth/runtime';
import { ensureFolder } from './ensure-folder.ts';
import { safeSegment } from './safe-segment.ts';

/** The working folder of one build, and the path of its artifact. */
export interface ArtifactPlace {
  readonly owner: Owner;
  /** {@link FolderArtifact.path} of the artifact: `<account>/<deployment>/<revision>`. */
  readonly path: string;
  /** Folder that the archive is unpacked to, before the project inside it is known. */
  readonly unpacked: string;
  /**
   * Absolute path of the project. Fixed from the first command on, because some dependencies store their absolute path.
   */
  readonly project: string;
  /** File that says which stored copy the project is. Absent while the project is incomplete, and when nothing is stored. */
  readonly checksum: string;
}

const CHECKSUM_PREFIX = '.checksum-';

/** Creates the folder tree of artifacts below `root`: `<account>/<deployment>/<revision>`. */
export function createArtifactPlaces(root: string) {
  // One at a time: a folder must not be removed as empty between its creation and its first use.
  const changes = createLimiter({ concurrency: 1 });

  const checksumOf = (project: string) => join(dirname(project), CHECKSUM_PREFIX + basename(project));
  /** Returns the place of a revision. @throws Error if a name isn't a safe folder name. */
  const placeOf = (owner: Owner, revision: string): ArtifactPlace => {
    const name = safeSegment(revision);
    const above = join(safeSegment(owner.account), safeSegment(owner.deployment));
    const path = join(above, name);
    const project = join(root, path);
    return { owner, path, unpacked: join(root, above, `.unpacked-${name}`), project, checksum: checksumOf(project) };
  };

  return {
    placeOf,
    checksumOf,
    /** Returns the place of an artifact in this tree; undefined for any other artifact. */
    find(artifact: Artifact): ArtifactPlace | undefined {
      if (artifact.kind !== 'folder') return undefined;
      const [account, deployment, revision, ...rest] = artifact.path.split(sep);
      if (account === undefined || deployment === undefined || revision === undefined || rest.length > 0)
        return undefined;
      return placeOf({ account, deployment }, revision);
    },
    /** Creates the folder for unpacking, and its parents. */
    open: ({ unpacked }: ArtifactPlace): Promise<void> =>
      changes.run(async () => {
        const folder = dirname(unpacked);
        // Each owner's user passes through these folders to reach its own, but can't list them.
        await ensureFolder(dirname(folder), 0o711);
        await ensureFolder(folder, 0o711);
        await mkdir(unpacked, 0o700);
      }),
    /** Removes the deployment's and the account's folders if they are empty. */
    close: ({ project }: Pick<ArtifactPlace, 'project'>): Promise<void> =>
      changes.run(async () => {
        for (const folder of [dirname(project), dirname(dirname(project))]) {
          const isRemoved = await rmdir(folder)
            .then(() => true)
            .catch(() => false);
          if (!isRemoved) return;
        }
      }),
    /** Lists all revisions' folders, including leftovers of crashes. */
    async list(): Promise<readonly { readonly owner: Owner; readonly path: string }[]> {
      const found: { owner: Owner; path: string }[] = [];
      for (const account of await namesIn(root)) {
        for (const deployment of await namesIn(join(root, account))) {
          const folder = join(root, account, deployment);
          const names = await namesIn(folder);
          for (const name of names) {
            // A checksum goes with its folder; without one it is a leftover.
            if (name.startsWith(CHECKSUM_PREFIX) && names.includes(name.slice(CHECKSUM_PREFIX.length))) continue;
            found.push({ owner: { account, deployment }, path: join(folder, name) });
          }
        }
      }
      return found;
    },
  };
}

/** Lists the names in a folder; none if it can't be read. */
export const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);
