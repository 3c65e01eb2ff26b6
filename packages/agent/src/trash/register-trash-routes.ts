import { type AgentApp, type AgentAppContext, type RouteGuard, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { okSchema, storedPathSchema, trashItemSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { type Trash, trashedChatId } from './create-trash.ts';

const params = z.object({ id: z.string().max(200) });

export interface TrashRouteDeps extends RouteGuard {
  readonly trash: Trash;
}

/**
 * Deleted entries of the caller's workspace: all its members see and restore its files, its owner and
 * admins delete them for good. Chats are the caller's own. Source: docs/contract/agent-api.md §5.
 */
export function registerTrashRoutes(app: AgentApp, deps: TrashRouteDeps): void {
  const route = routesOf(app, deps, 'Trash');
  const { trash } = deps;

  route('GET /trash', 'listTrash', {
    access: 'user',
    summary: 'List deleted files, folders, apps and chats, newest first',
    responses: { 200: jsonResponse(z.array(trashItemSchema), 'Deleted within the last 30 days') },
  }).handle(async (c) => c.json([...(await trash.list(c.get('workspace').key, c.get('owner')))], 200));

  route('POST /trash/{id}/restore', 'restoreTrash', {
    access: 'user',
    errors: ['not_found', 'conflict'],
    summary: 'Restore an entry to its original place, or beside an existing one',
    request: { params },
    responses: { 200: jsonResponse(storedPathSchema, 'The restored path') },
  }).handle(async (c) => {
    const path = await trash.restore(c.get('workspace').key, c.req.valid('param').id, c.get('owner'));
    return c.json({ ok: true as const, path }, 200);
  });

  route('DELETE /trash/{id}', 'deleteTrash', {
    access: 'user',
    errors: ['forbidden', 'not_found'],
    summary: 'Permanently delete an entry',
    description: 'Files of a team are for its owner and admins to delete; a chat is the caller’s own.',
    request: { params },
    responses: { 200: jsonResponse(okSchema, 'It is gone') },
  }).handle(async (c) => {
    const { id } = c.req.valid('param');
    if (trashedChatId(id) === undefined) requireManager(c);
    await trash.remove(c.get('workspace').key, id, c.get('owner'));
    return c.json({ ok: true as const }, 200);
  });

  route('DELETE /trash', 'emptyTrash', {
    access: 'user',
    errors: ['forbidden'],
    summary: 'Empty the trash',
    description:
      'The files of the workspace and the caller’s own chats in it; in a team, only for its owner and admins.',
    responses: { 200: jsonResponse(okSchema, 'It is empty') },
  }).handle(async (c) => {
    requireManager(c);
    await trash.empty(c.get('workspace').key, c.get('owner'));
    return c.json({ ok: true as const }, 200);
  });
}

/** @throws `forbidden` for who only edits: the files are the team's. Source: docs/contract/agent-api.md §5 */
function requireManager(c: AgentAppContext): void {
  if (c.get('workspace').role !== 'editor') return;
  throw createError('forbidden', 'Only the owner and admins of this workspace can permanently delete its files.');
}
