import { randomUUID } from 'node:crypto';
import { parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';
import type { ChatStore, NewMessage, OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { Part, SharedMessage } from '@berth/contract/agent';
import { BerthError } from '@berth/kit';
import { FORKED_FROM } from '../chats/chat-views.ts';
import type { WorkspaceFiles } from '../files/create-workspace-files.ts';
import type { StagedFile } from '../files/incoming.ts';
import { fileUrl, rewriteFiles } from './rewrite-files.ts';
import { type OpenShare, splitPath } from './shares.ts';

/** Options of {@link forkShare}. */
export interface ForkOptions {
  readonly chats: ChatStore;
  readonly files: WorkspaceFiles;
  /** Owner of the new chat. */
  readonly owner: OwnerKey;
  /** Owner of the copied files. */
  readonly workspace: OwnerKey;
  readonly nowMs: number;
}

/** The number of names tried for a file whose name is taken. */
const MAX_NAMES = 1_000;

/**
 * Copies a shared chat and the files it references into a new chat of `owner`, and returns the id of that chat. Existing
 * files aren't overwritten: a copy whose name is taken gets a number. The chat is created atomically.
 * @throws `bad_request` for a share of a file
 */
export async function forkShare(
  open: OpenShare,
  { chats, files, owner, workspace, nowMs }: ForkOptions,
): Promise<string> {
  if (open.messages === undefined) {
    const msg = 'This share is a file, and only chats can be forked. Download the file instead.';
    throw createError('bad_request', msg);
  }
  const copies = new Map<WorkspacePath, WorkspacePath>();
  for (const path of open.files) {
    await using file = await open.openFile(path);
    if (!file) continue;
    await using staged = await files.stage(file.read(), { maxBytes: file.entry.size });
    copies.set(path, await placeBeside(files, workspace, path, staged));
  }
  const messages = open.messages.map((message) =>
    rewriteFiles(message, {
      attachment: (path) => {
        const copy = copies.get(path);
        return copy && { path: copy, url: fileUrl(copy) };
      },
      input: (path) => copies.get(path) ?? path,
      link: (path) => fileUrl(copies.get(path) ?? path),
    }),
  );
  const id = randomUUID();
  const [, original] = splitPath(open.share.path);
  const chat = { id, title: open.share.title, meta: { [FORKED_FROM]: original } };
  const isMade = await chats.create(owner, chat, messages.map(toNewMessage), nowMs);
  if (!isMade) throw createError('conflict', 'A chat with this ID already exists. Try again.');
  return id;
}

/** Places the staged file at `path` or, if that is taken, at `name (2).ext`, `name (3).ext` and so on. Returns its path. */
async function placeBeside(
  files: WorkspaceFiles,
  workspace: OwnerKey,
  path: WorkspacePath,
  staged: StagedFile,
): Promise<WorkspacePath> {
  for (let number = 1; number <= MAX_NAMES; number++) {
    const candidate = number === 1 ? path : numbered(path, number);
    try {
      await files.place(workspace, { path: candidate, staged }, { isExclusive: true });
      return candidate;
    } catch (error) {
      if (!BerthError.is(error) || error.code !== 'conflict') throw error;
    }
  }
  throw createError('conflict', `"${path}" and ${MAX_NAMES} similar names already exist. Delete some first.`);
}

function numbered(path: WorkspacePath, number: number): WorkspacePath {
  const slash = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const end = dot > slash ? dot : path.length;
  return parseWorkspacePath(`${path.slice(0, end)} (${number})${path.slice(end)}`);
}

/** Converts a shared message to a stored one. The casts are safe: a shared message has a subset of the stored fields. */
function toNewMessage({ role, content, parts, attachments }: SharedMessage): NewMessage {
  return {
    role,
    content: content as NewMessage['content'],
    ...(parts ? { parts: parts as unknown as readonly Part[] } : {}),
    ...(attachments ? { attachments } : {}),
  };
}
