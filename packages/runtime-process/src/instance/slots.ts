import { join } from 'node:path';
import type { FolderArtifact } from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/identity.ts';
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

/** Makes the folders of instances. Each instance has its own, in which it may write beside its code without others seeing it. */
export interface Slots {
  /** Makes a folder with a copy of the artifact. */
  make(artifact: FolderArtifact, identity: Identity | undefined): Promise<Slot>;
  /** Deletes the folder. Idempotent. */
  discard(slot: Slot): Promise<void>;
}

/** Options of {@link createSlots}. */
export interface SlotsOptions {
  readonly confinement: Pick<Confinement, 'createPrivateFolder'>;
  /** Larger artifacts aren't copied. */
  readonly maxCopyBytes: number;
}

/** Creates the folders of a runtime's instances. */
export function createSlots({ confinement, maxCopyBytes }: SlotsOptions): Slots {
  /** Paths of artifacts that were found to be too large. */
  const large = new Set<string>();
  return {
    async make(artifact, identity) {
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
    discard: (slot) => removeTree(slot.folder),
  };
}
