import { join } from 'node:path';
import type { FolderArtifact } from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/can-reach.ts';
import { removeTree } from '../identity/remove-tree.ts';
import { copyTree, TreeTooLargeError } from './copy-tree.ts';

/** The folder of one instance. */
export interface Slot {
  /** Unique on this server, and short, because the paths of sockets must be short. */
  readonly name: string;
  readonly folder: string;
  /** The instance's copy of the artifact, or the artifact itself when it is too large to copy. */
  readonly workingFolder: string;
  readonly isCopy: boolean;
  /** Total size of the copied files. */
  readonly sizeBytes: number;
}

/** Makes the folders of instances. */
export type Slots = ReturnType<typeof createSlots>;

/**
 * Creates what makes the folders of instances. Each instance has its own, in which it may write beside its code without others seeing it.
 * @param maxCopyBytes Larger artifacts aren't copied.
 */
export function createSlots(confinement: Pick<Confinement, 'createPrivateFolder'>, maxCopyBytes: number) {
  /** Paths of artifacts that were found to be too large. */
  const large = new Set<string>();
  return {
    /** Makes a folder with a copy of the artifact. */
    async make(artifact: FolderArtifact, identity: Identity | undefined): Promise<Slot> {
      const name = `i-${crypto.randomUUID().slice(0, 13)}`;
      const folder = await confinement.createPrivateFolder(name, identity);
      const asItIs = { name, folder, workingFolder: artifact.path, isCopy: false, sizeBytes: 0 };
      if (large.has(artifact.path)) return asItIs;
      const target = join(folder, 'app');
      const { path: source, sharedFolders } = artifact;
      try {
        const sizeBytes = await copyTree({ source, target, sharedFolders, identity, maxBytes: maxCopyBytes });
        return { name, folder, workingFolder: target, isCopy: true, sizeBytes };
      } catch (error) {
        if (error instanceof TreeTooLargeError) {
          large.add(artifact.path);
          await removeTree(target);
          return asItIs;
        }
        await removeTree(folder);
        throw error;
      }
    },
    /** Deletes the folder. Idempotent. */
    discard: (slot: Slot): Promise<void> => removeTree(slot.folder),
  };
}
