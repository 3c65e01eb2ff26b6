import { join } from 'node:path';
import type { FolderArtifact } from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/identity.ts';
import { removeTree } from '../identity/remove-tree.ts';
import { copyTree, TreeTooLargeError } from './copy-tree.ts';

/** The folder of one instance. */
export interface Slot {
  /** Unique on this server; short, because paths of sockets are. */
  readonly name: string;
  readonly folder: string;
  /** The instance's own copy of the artifact; the artifact itself where that is too large. */
  readonly workingFolder: string;
  readonly isCopy: boolean;
  /** Of the copied files. */
  readonly sizeBytes: number;
}

/** Folders for instances: each instance has its own, so that it may write beside its code and nobody else sees it. */
export interface Slots {
  make(artifact: FolderArtifact, identity: Identity | undefined): Promise<Slot>;
  /** Deletes it. Idempotent. */
  discard(slot: Slot): Promise<void>;
}

export interface SlotsOptions {
  readonly confinement: Pick<Confinement, 'createPrivateFolder'>;
  /** An artifact over this is not copied. */
  readonly maxCopyBytes: number;
}

export function createSlots({ confinement, maxCopyBytes }: SlotsOptions): Slots {
  /** Paths of artifacts that proved too large. */
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
