import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { OwnerKey } from '@berth/agent-store';
import type { BerthError, Logger } from '@berth/kit';
import { isAbsence, type OpenFolder } from '@berth/kit/node';
import { readPlan, resumeBatch } from './place-batch.ts';
import { ownerFolderName } from './workspace-folder.ts';

/**
 * Where several files that are stored in one step lie while they get their places; on the file system of the workspaces. Who
 * works on an owner's holds the owner's lock: what somebody finds there with the lock in hand, a killed process has left.
 */
export interface Batches {
  newFolder(owner: OwnerKey): Promise<string>;
  /** Goes on with what was left, so that what it should have stored earlier never takes the place of what comes now. */
  finish(owner: OwnerKey, openRoot: () => Promise<OpenFolder>): Promise<void>;
  /** Whose was left half done. */
  owners(): Promise<readonly OwnerKey[]>;
}

const PRIVATE_MODE = 0o700;

/** @param dataFolder absolute; exists. */
export function createBatches(dataFolder: string, logger: Logger): Batches {
  const top = path.join(dataFolder, '.batches');
  const folderOf = (owner: OwnerKey) => path.join(top, ownerFolderName(owner));
  return {
    async newFolder(owner) {
      const folder = path.join(folderOf(owner), randomBytes(16).toString('hex'));
      await mkdir(folder, { recursive: true, mode: PRIVATE_MODE });
      return folder;
    },
    async finish(owner, openRoot) {
      const left = await list(folderOf(owner));
      if (!left) return;
      for (const folder of left) {
        const plan = await readPlan(folder);
        if (plan) {
          logger.info({ files: plan.paths.length }, 'going on with an upload of several files that was cut off');
          await using root = await openRoot();
          const onRefused = (error: BerthError) =>
            logger.warn({ error: error.message }, 'a file of an upload that was cut off has no place any more');
          await resumeBatch(root, folder, plan, onRefused);
        }
        // Without a plan none of it has been placed.
        await rm(folder, { recursive: true, force: true });
      }
      await rmdir(folderOf(owner));
    },
    async owners() {
      const owners = new Set<OwnerKey>();
      for (const owner of (await list(top)) ?? []) {
        for (const folder of (await list(owner)) ?? []) {
          const plan = await readPlan(folder);
          if (plan) owners.add(plan.owner);
        }
      }
      return [...owners];
    },
  };
}

/** Undefined when it is not there. */
async function list(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).map((name) => path.join(folder, name));
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
