import { createError, createValidationError } from '@berth/contract';
import type { SharedMessage } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import type { OwnerKey, User } from '../define/user.ts';
import { ownerKey } from '../define/user.ts';
import type { OpenFile } from '../files/open-file.ts';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import { parseWorkspacePath, type WorkspacePath } from '../files/workspace-path.ts';
import type { ChatStore } from '../store/chat-store.ts';
import type { ShareStore, StoredShare } from '../store/share-store.ts';
import type { FrozenFiles } from './frozen-files.ts';
import { namedFiles } from './rewrite-files.ts';
import { createShareToken, hashShareToken, shareId } from './share-token.ts';
import { sharedMessages } from './shared-message.ts';

/** What was frozen: nothing of it but what the audience may see. */
interface Snapshot {
  /** Of a chat. */
  readonly messages?: readonly SharedMessage[];
  /** Their numbers name the copies. */
  readonly files: readonly WorkspacePath[];
}

/** A wish to share, checked for its form. */
export interface ShareRequest {
  readonly path: string;
  readonly audience: string;
  readonly isLive: boolean;
  readonly expiresAtMs: number | undefined;
}

/** What a share shows now. */
export interface OpenShare {
  readonly share: Omit<StoredShare, 'snapshot'>;
  /** Undefined for a file. */
  readonly messages: readonly SharedMessage[] | undefined;
  /** Every file of the share, and no other. */
  readonly files: readonly WorkspacePath[];
  /** One of them; undefined for any other, and when it is gone. */
  openFile(path: WorkspacePath): Promise<OpenFile | undefined>;
}

export interface SharesOptions {
  readonly shares: ShareStore;
  readonly chats: ChatStore;
  readonly files: WorkspaceFiles;
  readonly frozen: FrozenFiles;
  readonly clock: Clock;
}

/** Shares of chats and files. Source: spec agent-api 6. */
export interface Shares {
  /**
   * Shares what is `user`'s own; frozen, it is copied before this answers.
   * @throws `not_found`, `forbidden` for an audience that the user is not of, `invalid`, `payload_too_large`
   */
  create(user: User, request: ShareRequest): Promise<{ readonly share: StoredShare; readonly token: string }>;
  list(owner: OwnerKey): Promise<readonly Omit<StoredShare, 'snapshot'>[]>;
  /** Ends the share of this token, or of this id. Ending one that is not there does nothing. */
  revoke(owner: OwnerKey, tokenOrId: string): Promise<void>;
  /**
   * What the share shows.
   * @param findViewer throws `unauthenticated` when nobody is signed in; asked only where it matters
   * @throws `not_found` for one that is unknown, revoked, expired, or whose chat is deleted, all alike; `forbidden`
   */
  open(owner: OwnerKey, token: string, findViewer: () => Promise<User>): Promise<OpenShare>;
}

export function createShares({ shares, chats, files, frozen, clock }: SharesOptions): Shares {
  const readChat = async (owner: OwnerKey, chatId: string) => {
    const chat = await chats.find(owner, chatId);
    return chat && { title: chat.title, messages: sharedMessages(await chats.messages(owner, chatId)) };
  };

  const snapshotOf = async (
    owner: OwnerKey,
    { path }: ShareRequest,
  ): Promise<Snapshot & { readonly title: string }> => {
    const [kind, name] = splitPath(path);
    if (kind === 'chat') {
      const chat = await readChat(owner, name);
      if (!chat) throw createError('not_found', `There is no chat ${name}.`);
      return { ...chat, files: namedFiles(chat.messages) };
    }
    const file = parseWorkspacePath(name, ['body', 'path']);
    const entry = await files.find(owner, file);
    if (!entry) throw createError('not_found', `There is no file "${file}".`);
    if (entry.type !== 'file') throw invalid('path', 'a folder can not be shared: share the files in it');
    return { title: entry.name, files: [file] };
  };

  /** Ended ones go when their owner shares again. */
  const tidy = async (owner: OwnerKey) => {
    const rows = await shares.list(owner);
    const ended = rows.filter((row) => isOver(row, clock.nowMs()));
    for (const { tokenHash } of ended) await shares.remove(owner, tokenHash);
    await frozen.sweep(owner, new Set(rows.filter((row) => !ended.includes(row)).map((row) => shareId(row.tokenHash))));
  };

  return {
    async create(user, request) {
      const owner = ownerKey(user);
      const nowMs = clock.nowMs();
      if (request.expiresAtMs !== undefined && request.expiresAtMs <= nowMs) {
        throw invalid('expires_at', 'lies in the past');
      }
      if (request.audience !== 'public' && request.audience !== `org:${user.orgId}`) {
        throw createError('forbidden', 'You can share with everybody (public), or with the organisation you are in.');
      }
      const { title, ...snapshot } = await snapshotOf(owner, request);
      await tidy(owner);
      const token = createShareToken();
      const tokenHash = hashShareToken(token);
      const kept: Snapshot = request.isLive
        ? { files: [] }
        : { ...snapshot, files: await frozen.freeze(owner, shareId(tokenHash), snapshot.files) };
      const share: StoredShare = {
        tokenHash,
        owner,
        path: request.path,
        audience: request.audience,
        isLive: request.isLive,
        title,
        createdAtMs: nowMs,
        ...(request.expiresAtMs === undefined ? {} : { expiresAtMs: request.expiresAtMs }),
        snapshot: kept,
      };
      await shares.add(share);
      return { share, token };
    },

    async list(owner) {
      const rows = await shares.list(owner);
      return rows.filter((row) => !isOver(row, clock.nowMs()));
    },

    async revoke(owner, tokenOrId) {
      const hash = hashShareToken(tokenOrId);
      const rows = await shares.list(owner);
      const row = rows.find(({ tokenHash }) => tokenHash === hash || shareId(tokenHash) === tokenOrId);
      if (!row) return;
      await shares.remove(owner, row.tokenHash);
      await frozen.remove(owner, shareId(row.tokenHash));
    },

    async open(owner, token, findViewer) {
      const share = await shares.find(owner, hashShareToken(token));
      if (!share || isOver(share, clock.nowMs())) throw gone();
      const { snapshot, ...row } = share;
      const [kind, name] = splitPath(share.path);
      // What is deleted is not shared any more, frozen or not.
      const chat = kind === 'chat' ? await chats.find(owner, name) : undefined;
      if (kind === 'chat' && !chat) throw gone();
      if (share.audience !== 'public') {
        const viewer = await findViewer();
        if (ownerKey(viewer) !== owner && share.audience !== `org:${viewer.orgId}`) {
          throw createError('forbidden', 'This is shared with another organisation than yours.');
        }
      }
      if (!share.isLive) {
        const { messages, files: paths } = snapshot as Snapshot;
        const id = shareId(share.tokenHash);
        const openFrozen = async (path: WorkspacePath) => {
          const number = paths.indexOf(path);
          return number === -1 ? undefined : frozen.open(owner, id, number, path);
        };
        return { share: row, messages, files: paths, openFile: openFrozen };
      }
      const openAmong = (paths: readonly WorkspacePath[]) => async (path: WorkspacePath) =>
        paths.includes(path) ? files.open(owner, path) : undefined;
      if (kind === 'file') {
        const file = parseWorkspacePath(name);
        if (!(await files.find(owner, file))) throw gone();
        return { share: row, messages: undefined, files: [file], openFile: openAmong([file]) };
      }
      const now = await readChat(owner, name);
      if (!now) throw gone();
      const paths = namedFiles(now.messages);
      const live = { ...row, title: now.title };
      return { share: live, messages: now.messages, files: paths, openFile: openAmong(paths) };
    },
  };
}

/** `chat/<id>` and `file/<path>` in two. */
export function splitPath(path: string): readonly [kind: 'chat' | 'file', name: string] {
  const slash = path.indexOf('/');
  return [path.slice(0, slash) as 'chat' | 'file', path.slice(slash + 1)];
}

function isOver({ expiresAtMs }: Pick<StoredShare, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

function gone() {
  return createError('not_found', 'There is no such share: it never was, has ended, or was taken back.');
}

function invalid(field: string, msg: string) {
  return createValidationError([{ loc: ['body', field], msg, type: `${field}_invalid` }]);
}
