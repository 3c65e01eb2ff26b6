import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { FolderArtifact } from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/identity.ts';
import { removeTree } from '../identity/remove-tree.ts';
import { copyTree, TreeTooLargeError } from './copy-tree.ts';

/** The folder of one instance-to-be. */
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

/**
 * Folders for instances. Each start uses one up; another is made ahead of need for the next start of the same
 * artifact, so that a cold start does not wait for files to be copied.
 */
export interface Slots {
  take(artifact: FolderArtifact, identity: Identity | undefined): Promise<Slot>;
  /** Deletes the folder of an instance that ended. */
  discard(slot: Slot): Promise<void>;
  /** Deletes what was prepared for artifacts that `isUnwanted`. */
  drop(isUnwanted: (path: string, identity: Identity | undefined) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface SlotsOptions {
  readonly confinement: Pick<Confinement, 'createPrivateFolder'>;
  /** An artifact over this is not copied. */
  readonly maxCopyBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After a start the machine has better things to do than copying for the one after it. */
const PREPARE_DELAY_MS = 2_000;
/** Prepared folders kept, the longest unused go first: a machine may have thousands of services that nobody calls. */
const PREPARED_MAX = 64;

interface Prepared {
  readonly slot: Slot;
  readonly identity: Identity | undefined;
}

export function createSlots({ confinement, maxCopyBytes, clock, logger }: SlotsOptions): Slots {
  /** By path of the artifact; in the order they were prepared. */
  const prepared = new Map<string, Prepared>();
  const timers = new Map<string, Timer>();
  /** Paths of artifacts that proved too large. */
  const large = new Set<string>();
  const preparing = new Set<Promise<void>>();
  let isClosed = false;

  const make = async (artifact: FolderArtifact, identity: Identity | undefined): Promise<Slot> => {
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
  };
  const discard = (slot: Slot): Promise<void> => removeTree(slot.folder);
  const drop: Slots['drop'] = async (isUnwanted) => {
    for (const [path, { slot, identity }] of prepared) {
      if (!isUnwanted(path, identity)) continue;
      prepared.delete(path);
      await discard(slot);
    }
  };
  const prepare = async (artifact: FolderArtifact, identity: Identity | undefined): Promise<void> => {
    await drop((path) => !existsSync(path));
    if (isClosed || prepared.has(artifact.path) || !existsSync(artifact.path)) return;
    const slot = await make(artifact, identity);
    if (isClosed || prepared.has(artifact.path)) return discard(slot);
    prepared.set(artifact.path, { slot, identity });
    const [oldest] = prepared.keys();
    if (prepared.size > PREPARED_MAX) await drop((path) => path === oldest);
  };
  const prepareLater = (artifact: FolderArtifact, identity: Identity | undefined): void => {
    timers.get(artifact.path)?.cancel();
    const timer = clock.setTimer(PREPARE_DELAY_MS, () => {
      timers.delete(artifact.path);
      const work = prepare(artifact, identity).finally(() => preparing.delete(work));
      preparing.add(work);
      runInBackground('prepare a folder for the next start', work, logger);
    });
    timers.set(artifact.path, timer);
  };

  return {
    async take(artifact, identity) {
      prepareLater(artifact, identity);
      const ready = prepared.get(artifact.path);
      prepared.delete(artifact.path);
      return ready?.slot ?? make(artifact, identity);
    },
    discard,
    drop,
    async close() {
      isClosed = true;
      for (const timer of timers.values()) timer.cancel();
      await Promise.allSettled(preparing);
      await drop(() => true);
    },
  };
}
