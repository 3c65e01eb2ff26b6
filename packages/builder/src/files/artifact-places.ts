import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { createLimiter } from '@berth/kit';
import type { Artifact, FolderArtifact, Owner } from '@berth/runtime';
import { ensureFolder } from './ensure-folder.ts';
import { safeSegment } from './safe-segment.ts';

/** Where one build works and what it makes lies. */
export interface ArtifactPlace {
  readonly owner: Owner;
  /** {@link FolderArtifact.path} of what is made: `<account>/<deployment>/<revision>`. */
  readonly path: string;
  /** What the archive is unpacked to, before it is known where in it the project is. */
  readonly unpacked: string;
  /** The project, from the first command on: some dependencies remember their absolute path. */
  readonly project: string;
}

/** The tree `<account>/<deployment>/<revision>` of artifacts. */
export interface ArtifactPlaces {
  /** @throws Error for names that are no folder names. */
  placeOf(owner: Owner, revision: string): ArtifactPlace;
  /** The place of an artifact made here; undefined for every other. */
  find(artifact: Artifact): ArtifactPlace | undefined;
  /** Makes the folder an archive is unpacked to, and those above it. */
  open(place: ArtifactPlace): Promise<void>;
  /** Removes the deployment's folder when nothing is in it any more. */
  close(place: Pick<ArtifactPlace, 'project'>): Promise<void>;
  /** Everything that lies here, leftovers of crashes included. */
  list(): Promise<readonly { readonly owner: Owner; readonly path: string }[]>;
}

export function createArtifactPlaces(root: string): ArtifactPlaces {
  // A folder must not be removed as empty between being made and being used.
  const changes = createLimiter({ concurrency: 1 });

  const placeOf = (owner: Owner, revision: string): ArtifactPlace => {
    const name = safeSegment(revision);
    const above = join(safeSegment(owner.account), safeSegment(owner.deployment));
    const path = join(above, name);
    return { owner, path, unpacked: join(root, above, `.unpacked-${name}`), project: join(root, path) };
  };

  return {
    placeOf,
    find(artifact) {
      if (artifact.kind !== 'folder') return undefined;
      const [account, deployment, revision, ...rest] = artifact.path.split(sep);
      if (account === undefined || deployment === undefined || revision === undefined || rest.length > 0)
        return undefined;
      return placeOf({ account, deployment }, revision);
    },
    open: ({ unpacked }) =>
      changes.run(async () => {
        const folder = dirname(unpacked);
        // Entered by each owner's user on its way to its own, listed by nobody.
        await ensureFolder(dirname(folder), 0o711);
        await ensureFolder(folder, 0o711);
        await mkdir(unpacked, 0o700);
      }),
    close: ({ project }) =>
      changes.run(async () => {
        for (const folder of [dirname(project), dirname(dirname(project))]) {
          const isRemoved = await rmdir(folder).then(
            () => true,
            () => false,
          );
          if (!isRemoved) return;
        }
      }),
    async list() {
      const found: { owner: Owner; path: string }[] = [];
      for (const account of await namesIn(root)) {
        for (const deployment of await namesIn(join(root, account))) {
          const folder = join(root, account, deployment);
          for (const name of await namesIn(folder)) {
            found.push({ owner: { account, deployment }, path: join(folder, name) });
          }
        }
      }
      return found;
    },
  };
}

const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);
