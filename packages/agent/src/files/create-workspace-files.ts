import {
  findPlace,
  isWithin,
  makeFolder,
  makePlace,
  openFile,
  ROOT,
  toFileEntry,
  type WorkspacePath,
} from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { openFolder } from '@berth/kit/node';
import { type AppFollower, appSlug } from './follow-apps.ts';
import type { Incoming } from './incoming.ts';
import { listFiles } from './list-files.ts';
import { moveNew } from './move-new.ts';
import { type Batches, checkBatch, placeBatch } from './place-batch.ts';
import { placeFile } from './place-file.ts';
import type { WorkspaceDisk } from './workspace-disk.ts';
import type { WorkspaceFiles, WriteOptions } from './workspace-files.ts';
import { workspaceFolder } from './workspace-folder.ts';
import { zipFolder } from './zip-folder.ts';

export interface WorkspaceFilesOptions {
  /** Absolute; exists. */
  readonly dataFolder: string;
  readonly disk: WorkspaceDisk;
  readonly incoming: Incoming;
  readonly batches: Batches;
  readonly apps: AppFollower;
}

const MAX_BYTES = AGENT_LIMITS.uploadMib * 2 ** 20;

export function createWorkspaceFiles({
  dataFolder,
  disk,
  incoming,
  batches,
  apps,
}: WorkspaceFilesOptions): WorkspaceFiles {
  const find = async (owner: OwnerKey, path: WorkspacePath) => {
    await using root = await disk.open(owner);
    if (!root) return undefined;
    await using place = await findPlace(root, path);
    return place && toFileEntry(path, place.stats);
  };
  const openFolderAt = async (owner: OwnerKey, path: WorkspacePath) => {
    await using root = await disk.open(owner);
    await using place = root && (await findPlace(root, path));
    // Opened before the folder around it is closed.
    return place && (await openFolder(place.folder.at(place.name)));
  };
  const get = async (owner: OwnerKey, path: WorkspacePath) => {
    const entry = await find(owner, path);
    if (entry) return entry;
    throw createError('unavailable', `"${path}" was taken away while it was stored. Send it again.`);
  };
  const stage = (body: AsyncIterable<Uint8Array>, { maxBytes = MAX_BYTES, signal }: WriteOptions = {}) =>
    incoming.receive(body, { maxBytes, signal });
  const place: WorkspaceFiles['place'] = async (owner, file, { isExclusive } = {}) => {
    await disk.alone(owner, async () => {
      await using root = await disk.ensure(owner);
      await placeFile(root, file, isExclusive);
    });
    return get(owner, file.path);
  };
  return {
    stage,
    place,
    find,
    async ensureFolder(owner) {
      await using _folder = await disk.ensure(owner);
      return workspaceFolder(dataFolder, owner);
    },
    async list(owner, path, options) {
      await using root = await disk.open(owner);
      return root ? await listFiles(root, path, options) : [];
    },
    async open(owner, path) {
      await using root = await disk.open(owner);
      if (!root) return undefined;
      await using found = await findPlace(root, path);
      return found?.stats.isFile() ? await openFile(found, path) : undefined;
    },
    async write(owner, path, body, options) {
      await using staged = await stage(body, options);
      return await place(owner, { path, staged }, options);
    },
    async placeAll(owner, files) {
      await disk.alone(owner, async () => {
        await using root = await disk.ensure(owner);
        await checkBatch(
          root,
          files.map((file) => file.path),
        );
        await placeBatch(root, await batches.newFolder(owner), owner, files);
      });
    },
    async makeFolder(owner, path) {
      await disk.alone(owner, async () => {
        await using root = await disk.ensure(owner);
        await using _made = await makeFolder(root, path);
      });
    },
    async move(owner, from, to) {
      if (from === ROOT) throw createError('forbidden', 'The workspace itself can not be moved.');
      if (isWithin(to, from) && to !== from) throw createError('conflict', `"${from}" can not be moved into itself.`);
      await disk.alone(owner, async () => {
        await using root = await disk.ensure(owner);
        await using source = await findPlace(root, from);
        if (!source) throw createError('not_found', `There is no "${from}".`);
        await using target = await makePlace(root, to);
        const outcome = await moveNew(source, target);
        if (outcome === 'missing') throw createError('not_found', `There is no "${from}" any more.`);
        if (outcome === 'taken') throw createError('conflict', `"${to}" is there already. Choose another name.`);
        const [slug, toSlug] = [appSlug(from), appSlug(to)];
        if (source.stats.isDirectory() && slug !== undefined && toSlug !== undefined)
          await apps.moved(owner, slug, toSlug);
      });
    },
    async zip(owner, path) {
      const entry = await find(owner, path);
      return entry?.type === 'directory' ? zipFolder(() => openFolderAt(owner, path)) : undefined;
    },
  };
}
