import { rm } from 'node:fs/promises';
import { findPlace, lstatIn, makePlace, nameOf, parseWorkspacePath, ROOT, type WorkspacePath } from '@berth/agent-core';
import type { ChatStore, OwnerKey, TrashEntry, TrashStore } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS, type TrashItem } from '@berth/contract/agent';
import type { Clock, IdSource } from '@berth/kit';
import type { OpenFolder } from '@berth/kit/node';
import { type AppFollower, appSlug } from '../files/follow-apps.ts';
import { moveNew } from '../files/move-new.ts';
import type { WorkspaceDisk } from '../files/workspace-disk.ts';

interface TrashOptions {
  readonly disk: WorkspaceDisk;
  readonly store: TrashStore;
  /** Chats keep themselves; the trash shows them beside files, as `chat:<id>`. */
  readonly chats: Pick<ChatStore, 'listTrashed' | 'restore' | 'purge'>;
  readonly apps: AppFollower;
  readonly clock: Clock;
  readonly ids: IdSource;
}

const MAX_AGE_MS = AGENT_LIMITS.trashDays * 24 * 3_600_000;
/** Most attempts to find a free name. */
const MAX_ATTEMPTS = 1_000;
const CHAT = 'chat:';

/**
 * Deleted entries of a workspace, for 30 days: its files, which belong to all who work in it, and the chats of one of them.
 * `member` is whose chats those are; without it the workspace's own key, which a personal one shares with its person.
 * Source: docs/contract/agent-api.md §5.
 */
export type Trash = ReturnType<typeof createTrash>;

/**
 * Invariants: 1. The row of an entry is there before its bytes are moved, and goes after they are gone: a crash leaves rows
 * without bytes, which are not shown and go in time, and never bytes without a row. 2. Bytes move by one rename.
 * 3. Nothing that is in a workspace is replaced by what comes back.
 */
export function createTrash({ disk, store, chats, apps, clock, ids }: TrashOptions) {
  const drop = async (owner: OwnerKey, trash: OpenFolder, entry: TrashEntry): Promise<void> => {
    await rm(trash.at(entry.id), { recursive: true, force: true });
    if (entry.kind === 'app') await apps.purged(owner, entry.id);
    await store.take(owner, entry.id);
  };
  const purge = async (workspace: OwnerKey, member: OwnerKey): Promise<void> => {
    const beforeMs = clock.nowMs() - MAX_AGE_MS;
    const old = (await store.list(workspace)).filter((entry) => entry.deletedAtMs < beforeMs);
    if (old.length > 0) {
      await using trash = await disk.ensureTrash(workspace);
      for (const entry of old) await drop(workspace, trash, entry);
    }
    await chats.purge(member, { beforeMs });
  };
  const get = async (owner: OwnerKey, trash: OpenFolder, id: string): Promise<TrashEntry> => {
    const entry = await store.find(owner, id);
    if (entry && (await lstatIn(trash, entry.id))) return entry;
    throw createError('not_found', 'The trash has no entry with this ID.');
  };
  const restoreFile = (owner: OwnerKey, id: string): Promise<string> =>
    disk.alone(owner, async () => {
      await using trash = await disk.ensureTrash(owner);
      const entry = await get(owner, trash, id);
      await using root = await disk.ensure(owner);
      const path = await moveBack(root, trash, entry);
      const slug = appSlug(path);
      if (entry.kind === 'app' && slug !== undefined) await apps.restored(owner, id, slug);
      await store.take(owner, id);
      return path;
    });

  return {
    /** Moves a file or folder into the trash, in one step. @throws `not_found`; `forbidden` for the workspace itself */
    put: (
      owner: OwnerKey,
      path: WorkspacePath,
      { by, reason = '' }: Pick<TrashEntry, 'by'> & { readonly reason?: string },
    ): Promise<Pick<TrashEntry, 'id' | 'kind'>> =>
      disk.alone(owner, async () => {
        if (path === ROOT) throw createError('forbidden', "The workspace can't be deleted.");
        await purge(owner, owner);
        const missing = () => createError('not_found', `There is no "${path}".`);
        await using root = await disk.open(owner);
        await using place = root && (await findPlace(root, path));
        if (!place) throw missing();
        await using trash = await disk.ensureTrash(owner);
        const slug = place.stats.isDirectory() ? appSlug(path) : undefined;
        const kind = slug !== undefined ? 'app' : place.stats.isDirectory() ? 'dir' : 'file';
        const id = ids.next('trash');
        await store.add(owner, { id, path, kind, by, reason, deletedAtMs: clock.nowMs() });
        if ((await moveNew(place, { folder: trash, name: id })) !== 'done') {
          await store.take(owner, id);
          throw missing();
        }
        if (slug !== undefined) await apps.trashed(owner, slug, id);
        return { id, kind };
      }),
    /** Lists entries, newest first; deletes those older than 30 days. */
    async list(workspace: OwnerKey, member: OwnerKey = workspace): Promise<readonly TrashItem[]> {
      await purge(workspace, member);
      await using trash = await disk.ensureTrash(workspace);
      const items: (TrashItem & { readonly atMs: number })[] = [];
      for (const { deletedAtMs, ...entry } of await store.list(workspace)) {
        if (!(await lstatIn(trash, entry.id))) continue;
        items.push({ ...entry, deleted_at: new Date(deletedAtMs).toISOString(), atMs: deletedAtMs });
      }
      for (const { id, title, deletedAtMs } of await chats.listTrashed(member)) {
        const deletedAt = new Date(deletedAtMs).toISOString();
        const shown = { id: CHAT + id, path: title, kind: 'chat', by: 'user', reason: '' } as const;
        items.push({ ...shown, deleted_at: deletedAt, atMs: deletedAtMs });
      }
      return items.sort((one, other) => other.atMs - one.atMs).map(({ atMs: _atMs, ...item }) => item);
    },
    /** Restores an entry and returns its path: `name (restored).ext` when its own is taken. @throws `not_found`; `conflict` */
    async restore(workspace: OwnerKey, id: string, member: OwnerKey = workspace): Promise<string> {
      const chatId = trashedChatId(id);
      if (chatId === undefined) return restoreFile(workspace, id);
      if (await chats.restore(member, chatId)) return `chat/${chatId}`;
      throw createError('not_found', 'The trash has no chat with this ID.');
    },
    /** Deletes an entry permanently. @throws `not_found` */
    async remove(workspace: OwnerKey, id: string, member: OwnerKey = workspace): Promise<void> {
      const chatId = trashedChatId(id);
      if (chatId !== undefined) {
        if ((await chats.purge(member, { chatId, beforeMs: Number.MAX_SAFE_INTEGER })) > 0) return;
        throw createError('not_found', 'The trash has no chat with this ID.');
      }
      await disk.alone(workspace, async () => {
        await using trash = await disk.ensureTrash(workspace);
        await drop(workspace, trash, await get(workspace, trash, id));
      });
    },
    /** Empties the trash permanently, except other members' chats. */
    async empty(workspace: OwnerKey, member: OwnerKey = workspace): Promise<void> {
      await disk.alone(workspace, async () => {
        await using trash = await disk.ensureTrash(workspace);
        for (const entry of await store.list(workspace)) await drop(workspace, trash, entry);
      });
      await chats.purge(member, { beforeMs: Number.MAX_SAFE_INTEGER });
    },
  };
}

/** Returns the chat id of an entry of the trash; undefined for a file. */
export function trashedChatId(id: string): string | undefined {
  return id.startsWith(CHAT) ? id.slice(CHAT.length) : undefined;
}

/** @throws `conflict` when the folder it was in is a file now; `not_found` when another person has restored it. */
async function moveBack(root: OpenFolder, trash: OpenFolder, entry: TrashEntry): Promise<WorkspacePath> {
  // The row may be as old as another version of the rules for paths.
  const own = parseWorkspacePath(entry.path);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const path = restoredPath(own, attempt);
    await using place = await makePlace(root, path);
    const outcome = await moveNew({ folder: trash, name: entry.id }, place);
    if (outcome === 'done') return path;
    if (outcome === 'missing') throw createError('not_found', 'The entry was already restored.');
  }
  throw createError('conflict', `Too many similar names to "${entry.path}". Rename some first.`);
}

/** Bytes of a name on the usual file systems. */
const MAX_NAME_BYTES = 255;

/** Returns the path to restore to when the original is taken: `a (restored).txt`, `a (restored 2).txt`, … for `attempt` 1, 2, … */
export function restoredPath(path: WorkspacePath, attempt: number): WorkspacePath {
  if (attempt === 0) return path;
  const name = nameOf(path);
  // A leading dot starts a hidden name, not an extension.
  const dot = name.lastIndexOf('.');
  const [base, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const suffix = ` (restored${attempt === 1 ? '' : ` ${attempt}`})${extension}`;
  let kept = base;
  while (Buffer.byteLength(kept + suffix) > MAX_NAME_BYTES) kept = [...kept].slice(0, -1).join('');
  return parseWorkspacePath(path.slice(0, path.length - name.length) + kept + suffix);
}
