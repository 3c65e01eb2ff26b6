import type { SecretRing } from '@berth/agent-connectors';
import {
  type ActiveWorkspace,
  type OpenFile,
  parseWorkspacePath,
  type User,
  type WorkspaceAccess,
  type WorkspacePath,
} from '@berth/agent-core';
import {
  type AgentStores,
  type OwnerKey,
  ownerKey,
  parseMemberKey,
  parseOwnerKey,
  type StoredShare,
} from '@berth/agent-store';
import { createError, createValidationError } from '@berth/contract';
import type { SharedMessage } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import type { WorkspaceFiles } from '../files/create-workspace-files.ts';
import { findRole } from '../workspaces/access/find-role.ts';
import { createFrozenFiles } from './frozen-files.ts';
import { namedFiles } from './rewrite-files.ts';
import { parseShareHome, type ShareHome, shareHome } from './share-home.ts';
import { createShareToken, hashShareToken, shareAddressUser, shareId } from './share-token.ts';
import { sharedMessages } from './shared-message.ts';

/** The stored content of a frozen share, reduced to what its audience may see. */
interface Snapshot {
  /** The messages of a shared chat; absent for a file. */
  readonly messages?: readonly SharedMessage[];
  /** Paths of the shared files. A file's index names its copy in `FrozenFiles`. */
  readonly files: readonly WorkspacePath[];
  /** Set when the sharer had access to the team only as an admin of its organization, not as a member. */
  readonly isByOrgAdmin?: true;
}

/** A user who shares, and the workspace that the request works in. */
export interface Sharer {
  readonly user: User;
  readonly workspace: ActiveWorkspace;
}

/** A validated request to share a chat or a file. */
export interface ShareRequest {
  /** `chat/<id>` or `file/<path>`. */
  readonly path: string;
  /** `public` or `org:<id>`. */
  readonly audience: string;
  /** True for a share that shows the current content instead of a frozen copy. */
  readonly isLive: boolean;
  /** Milliseconds since the epoch; undefined for a share that doesn't expire. */
  readonly expiresAtMs: number | undefined;
}

/** The content of a share at the time it is opened. */
export interface OpenShare {
  readonly home: ShareHome;
  readonly share: Omit<StoredShare, 'snapshot'>;
  /** The messages of a shared chat; undefined for a file. */
  readonly messages: readonly SharedMessage[] | undefined;
  /** Paths of all files that the share gives access to. */
  readonly files: readonly WorkspacePath[];
  /** Opens one of `files`; undefined for any other path, and when the file no longer exists. */
  openFile(path: WorkspacePath): Promise<OpenFile | undefined>;
}

/** The parts of a share's address besides its token. */
export interface ShareAddress {
  /** Opaque; of an address that an earlier version made, the sharer's key. */
  readonly user: string;
  /** The team that it was shared in. */
  readonly ws?: string | undefined;
}

/** A share of one's own. */
export interface ListedShare {
  readonly share: Omit<StoredShare, 'snapshot'>;
  /** Undefined for one that can't be read any more, such as of an earlier version. */
  readonly token: string | undefined;
}

interface SharesOptions {
  readonly stores: Pick<AgentStores, 'shares' | 'chats'>;
  readonly files: WorkspaceFiles;
  /** Absolute path. */
  readonly dataFolder: string;
  /** Undefined for an agent without teams. */
  readonly registry: WorkspaceAccess | undefined;
  readonly clock: Clock;
  /** Seals tokens, so that their owners can read them again. */
  openSecrets(): Promise<SecretRing>;
}

/**
 * Shares of chats and files. A share made in a team belongs to the team: it can be opened only while the person who made
 * it is a member of the team.
 * Source: docs/contract/agent-api.md §6.
 */
export type Shares = ReturnType<typeof createShares>;

/** Creates the shares of an agent on its stores. */
export function createShares({ stores, files, dataFolder, registry, clock, openSecrets }: SharesOptions) {
  const { shares, chats } = stores;
  const tokenBox = async () => (await openSecrets()).box('share tokens');
  const frozen = createFrozenFiles(dataFolder, files, clock);
  const readChat = async (owner: OwnerKey, chatId: string) => {
    const chat = await chats.find(owner, chatId);
    return chat && { title: chat.title, messages: sharedMessages(await chats.messages(owner, chatId)) };
  };

  const snapshotOf = async (
    home: ShareHome,
    { path }: ShareRequest,
  ): Promise<Snapshot & { readonly title: string }> => {
    const [kind, name] = splitPath(path);
    if (kind === 'chat') {
      const chat = await readChat(home.owner, name);
      if (!chat) throw createError('not_found', `There is no chat ${name}.`);
      return { ...chat, files: namedFiles(chat.messages) };
    }
    const file = parseWorkspacePath(name, ['body', 'path']);
    const entry = await files.find(home.files, file);
    if (!entry) throw createError('not_found', `There is no file "${file}".`);
    if (entry.type !== 'file') throw invalid('path', "a folder can't be shared; share its files");
    return { title: entry.name, files: [file] };
  };

  /** Removes the owner's expired shares and leftover frozen files. Runs whenever the owner creates a share. */
  const tidy = async (home: ShareHome) => {
    const rows = await shares.list(home.owner);
    const ended = rows.filter((row) => isOver(row, clock.nowMs()));
    for (const { tokenHash } of ended) await shares.remove(home.owner, tokenHash);
    await frozen.sweep(home, new Set(rows.filter((row) => !ended.includes(row)).map((row) => shareId(row.tokenHash))));
  };

  /** Ignores the sharer's role in the organization unless it is given: the agent isn't notified when that role ends. */
  const isMember = async (home: ShareHome, orgRole?: 'admin') => {
    const sharer = parseOwnerKey(home.person);
    if (!registry || !sharer || home.teamId === undefined) return false;
    return (await findRole(registry, { ...sharer, ...(orgRole && { orgRole }) }, home.teamId)) !== undefined;
  };

  return {
    /**
     * Shares one of the sharer's chats in the workspace, or a file of the workspace. A frozen share is copied before this
     * resolves.
     * @throws `not_found`; `forbidden` for an audience that the user doesn't belong to; `invalid`; `payload_too_large`
     */
    async create(
      { user, workspace }: Sharer,
      request: ShareRequest,
    ): Promise<{ readonly home: ShareHome; readonly share: StoredShare; readonly token: string }> {
      const home = shareHome(user, workspace);
      const nowMs = clock.nowMs();
      if (request.expiresAtMs !== undefined && request.expiresAtMs <= nowMs) {
        throw invalid('expires_at', 'is in the past');
      }
      if (request.audience !== 'public' && request.audience !== `org:${user.orgId}`) {
        throw createError('forbidden', 'You can share publicly, or with your organization.');
      }
      const { title, ...snapshot } = await snapshotOf(home, request);
      const isByOrgAdmin = home.teamId !== undefined && !(await isMember(home));
      await tidy(home);
      const token = createShareToken();
      const tokenHash = hashShareToken(token);
      const shown: Snapshot = request.isLive
        ? { files: [] }
        : { ...snapshot, files: await frozen.freeze(home, shareId(tokenHash), snapshot.files) };
      const share: StoredShare = {
        tokenHash,
        sealedToken: (await tokenBox()).seal(token, [home.owner, tokenHash]),
        owner: home.owner,
        path: request.path,
        audience: request.audience,
        isLive: request.isLive,
        title,
        createdAtMs: nowMs,
        ...(request.expiresAtMs === undefined ? {} : { expiresAtMs: request.expiresAtMs }),
        snapshot: { ...shown, ...(isByOrgAdmin && { isByOrgAdmin }) } satisfies Snapshot,
      };
      await shares.add(share);
      return { home, share, token };
    },

    /** Returns the sharer's shares in the workspace, without expired ones, each with its token if that can be read. */
    async list({ user, workspace }: Sharer): Promise<readonly ListedShare[]> {
      const rows = await shares.list(shareHome(user, workspace).owner);
      const live = rows.filter((row) => !isOver(row, clock.nowMs()));
      const box = live.some(({ sealedToken }) => sealedToken !== undefined) ? await tokenBox() : undefined;
      return live.map((share) => ({
        share,
        token: share.sealedToken && box?.open(share.sealedToken, [share.owner, share.tokenHash]),
      }));
    },

    /** Revokes the sharer's share with this token or id. Does nothing when there is no such share. */
    async revoke({ user, workspace }: Sharer, tokenOrId: string): Promise<void> {
      const home = shareHome(user, workspace);
      const hash = hashShareToken(tokenOrId);
      const rows = await shares.list(home.owner);
      const row = rows.find(({ tokenHash }) => tokenHash === hash || shareId(tokenHash) === tokenOrId);
      if (!row) return;
      await shares.remove(home.owner, row.tokenHash);
      await frozen.remove(home, shareId(row.tokenHash));
    },

    /**
     * Opens a share.
     * @param address the `{user}` and `?ws=` of the share's address
     * @param findViewer throws `unauthenticated` when no one is signed in; called only for shares that aren't public
     * @throws `not_found`, with one message for all cases, when the share is unknown, revoked or expired, its chat or live
     * file is deleted, or its sharer has left the team; `forbidden` for a viewer outside the audience
     */
    async open({ user, ws }: ShareAddress, token: string, findViewer: () => Promise<User>): Promise<OpenShare> {
      const isOpaque = user === shareAddressUser(token);
      const hash = hashShareToken(token);
      const found = isOpaque ? await shares.findByToken(hash) : undefined;
      const person = isOpaque ? found && parseMemberKey(found.owner)?.person : user;
      const home = person === undefined ? undefined : parseShareHome(person, ws);
      const share = home && (found ?? (await shares.find(home.owner, hash)));
      // The team in the address is part of it.
      if (!share || share.owner !== home.owner || isOver(share, clock.nowMs())) throw gone();
      const { snapshot, ...row } = share;
      const { messages, files: paths, isByOrgAdmin } = snapshot as Snapshot;
      if (home.teamId !== undefined && !(await isMember(home, isByOrgAdmin && 'admin'))) throw gone();
      const [kind, name] = splitPath(share.path);
      // Deleting a chat ends its shares, including the frozen ones.
      const chat = kind === 'chat' ? await chats.find(home.owner, name) : undefined;
      if (kind === 'chat' && !chat) throw gone();
      if (share.audience !== 'public') {
        const viewer = await findViewer();
        if (ownerKey(viewer) !== home.person && share.audience !== `org:${viewer.orgId}`) {
          throw createError('forbidden', 'This share is limited to another organization.');
        }
      }
      if (!share.isLive) {
        const id = shareId(share.tokenHash);
        const openFrozen = async (path: WorkspacePath) => {
          const number = paths.indexOf(path);
          return number === -1 ? undefined : frozen.open(home, id, number, path);
        };
        return { home, share: row, messages, files: paths, openFile: openFrozen };
      }
      const openAmong = (among: readonly WorkspacePath[]) => async (path: WorkspacePath) =>
        among.includes(path) ? files.open(home.files, path) : undefined;
      if (kind === 'file') {
        const file = parseWorkspacePath(name);
        if (!(await files.find(home.files, file))) throw gone();
        return { home, share: row, messages: undefined, files: [file], openFile: openAmong([file]) };
      }
      const now = await readChat(home.owner, name);
      if (!now) throw gone();
      const named = namedFiles(now.messages);
      const live = { ...row, title: now.title };
      return { home, share: live, messages: now.messages, files: named, openFile: openAmong(named) };
    },
  };
}

/** Splits `chat/<id>` or `file/<path>` at its first slash. */
export function splitPath(path: string): readonly [kind: 'chat' | 'file', name: string] {
  const slash = path.indexOf('/');
  return [path.slice(0, slash) as 'chat' | 'file', path.slice(slash + 1)];
}

function isOver({ expiresAtMs }: Pick<StoredShare, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

function gone() {
  return createError('not_found', 'No such share. It may have expired or been revoked.');
}

function invalid(field: string, msg: string) {
  return createValidationError([{ loc: ['body', field], msg, type: `${field}_invalid` }]);
}
