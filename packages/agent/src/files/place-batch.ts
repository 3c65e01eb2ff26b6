import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path, { join } from 'node:path';
import { ancestorsOf, findPlace, lstatIn, makePlace, type WorkspacePath } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { createError, createValidationError } from '@berth/contract';
import { BerthError, type Logger } from '@berth/kit';
import { isAbsence, type OpenFolder } from '@berth/kit/node';
import { exists } from './move-new.ts';
import { isFolder, type NewFile, renameOver } from './place-file.ts';
import { ownerFolderName } from './workspace-folder.ts';

/** The plan of a batch, written to the disk before its first file is placed. */
export interface BatchPlan {
  readonly owner: OwnerKey;
  readonly paths: readonly WorkspacePath[];
}

const PLAN = 'plan.json';
const newAt = (folder: string, index: number) => join(folder, `${index}.new`);
const oldAt = (folder: string, index: number) => join(folder, `${index}.old`);

/**
 * Checks every path of a batch before any file is placed.
 * @throws `conflict` naming the path; `invalid` when two of the paths can't both be.
 */
export async function checkBatch(root: OpenFolder, paths: readonly WorkspacePath[]): Promise<void> {
  const files = new Set<WorkspacePath>();
  for (const path of paths) {
    if (files.has(path)) throw contradiction(`"${path}" is sent twice`);
    files.add(path);
  }
  for (const folder of new Set(paths.flatMap(ancestorsOf))) {
    if (files.has(folder)) throw contradiction(`"${folder}" is sent as a file and as a folder`);
    await using place = await findPlace(root, folder);
    if (place && !place.stats.isDirectory()) {
      throw createError('conflict', `"${folder}" is a file, so nothing can be put into it. Nothing was stored.`);
    }
  }
  for (const path of paths) {
    await using place = await findPlace(root, path);
    if (place?.stats.isDirectory()) throw isFolder(path);
  }
}

/**
 * Places checked files, all or none: a failure is rolled back, and {@link resumeBatch} completes a batch after a crash.
 * @param folder private to this batch, on the file system of the workspace; gone afterwards.
 */
export async function placeBatch(
  root: OpenFolder,
  folder: string,
  owner: OwnerKey,
  files: readonly NewFile[],
): Promise<void> {
  const paths = files.map((file) => file.path);
  try {
    for (const [index, { staged }] of files.entries()) await rename(staged.file, newAt(folder, index));
    await writePlan(folder, { owner, paths });
    for (const [index, path] of paths.entries()) await placeOne(root, folder, path, index);
  } catch (error) {
    await rm(join(folder, PLAN), { force: true });
    for (const [index, path] of [...paths.entries()].reverse()) await takeBack(root, folder, path, index);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function placeOne(root: OpenFolder, folder: string, path: WorkspacePath, index: number): Promise<void> {
  await using place = await makePlace(root, path);
  const target = place.folder.at(place.name);
  const before = await lstatIn(place.folder, place.name);
  // Made since it was looked for, e.g. by a command; what is replaced goes, and a folder may hold anything.
  if (before?.isDirectory()) throw isFolder(path);
  if (before) await rename(target, oldAt(folder, index));
  await renameOver(newAt(folder, index), target, path);
  await place.folder.handle.sync();
}

async function takeBack(root: OpenFolder, folder: string, path: WorkspacePath, index: number): Promise<void> {
  const [isPlaced, isReplaced] = [!(await exists(newAt(folder, index))), await exists(oldAt(folder, index))];
  if (!isPlaced && !isReplaced) return;
  await using place = await makePlace(root, path);
  const target = place.folder.at(place.name);
  if (isReplaced) await rename(oldAt(folder, index), target);
  else await rm(target, { force: true });
}

/** Reads the plan that a killed process left; undefined when there is none, and then no file was placed. */
export async function readPlan(folder: string): Promise<BatchPlan | undefined> {
  try {
    await using file = await open(join(folder, PLAN));
    return JSON.parse(await file.readFile('utf8')) as BatchPlan;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/**
 * Places the rest of a batch, of which some files may be in place. Skips a file whose path has become a folder or leads through a
 * file, and calls `onRefused`.
 */
export async function resumeBatch(
  root: OpenFolder,
  folder: string,
  { paths }: BatchPlan,
  onRefused: (error: BerthError) => void,
): Promise<void> {
  for (const [index, path] of paths.entries()) {
    if (!(await exists(newAt(folder, index)))) continue;
    try {
      await placeOne(root, folder, path, index);
    } catch (error) {
      if (!BerthError.is(error) || error.code !== 'conflict') throw error;
      onRefused(error);
    }
  }
}

/** Writes the plan atomically. */
async function writePlan(folder: string, plan: BatchPlan): Promise<void> {
  const temporary = join(folder, `${PLAN}.new`);
  {
    await using file = await open(temporary, 'wx', 0o600);
    await file.writeFile(JSON.stringify(plan));
    await file.sync();
  }
  await rename(temporary, join(folder, PLAN));
  await using handle = await open(folder);
  await handle.sync();
}

function contradiction(what: string) {
  return createValidationError([{ loc: ['body'], msg: `${what}; nothing was stored`, type: 'contradiction' }]);
}

const PRIVATE_MODE = 0o700;

/**
 * Where several files that are stored in one step lie while they get their places; on the file system of the workspaces. A
 * process that works on an owner's holds the owner's lock: entries found there while holding the lock were left by a killed process.
 */
export type Batches = ReturnType<typeof createBatches>;

/** @param dataFolder absolute; exists. */
export function createBatches(dataFolder: string, logger: Logger) {
  const top = path.join(dataFolder, '.batches');
  const folderOf = (owner: OwnerKey) => path.join(top, ownerFolderName(owner));
  return {
    async newFolder(owner: OwnerKey): Promise<string> {
      const folder = path.join(folderOf(owner), randomBytes(16).toString('hex'));
      await mkdir(folder, { recursive: true, mode: PRIVATE_MODE });
      return folder;
    },
    /** Goes on with what was left, so that what it should have stored earlier never takes the place of what comes now. */
    async finish(owner: OwnerKey, openRoot: () => Promise<OpenFolder>): Promise<void> {
      const left = await list(folderOf(owner));
      if (!left) return;
      for (const folder of left) {
        const plan = await readPlan(folder);
        if (plan) {
          logger.info({ files: plan.paths.length }, 'resuming an interrupted upload of several files');
          await using root = await openRoot();
          const onRefused = (error: BerthError) =>
            logger.warn({ error: error.message }, "a file of an interrupted upload can't be placed");
          await resumeBatch(root, folder, plan, onRefused);
        }
        // Without a plan none of it has been placed.
        await rm(folder, { recursive: true, force: true });
      }
      await rmdir(folderOf(owner));
    },
    /** Owner of the unfinished batch. */
    async owners(): Promise<readonly OwnerKey[]> {
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
