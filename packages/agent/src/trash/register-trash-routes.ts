import { okSchema, storedPathSchema, trashItemSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { FileRouteDeps } from '../files/routes/file-route.ts';
import type { AgentApp } from '../http/agent-app.ts';
import { defineRoute } from '../http/define-route.ts';

const tags = ['Trash'];
const params = z.object({ id: z.string().max(200) });

/**
 * What was deleted in the caller's workspace. A personal workspace's only member is its owner, who alone may empty it.
 * Source: spec agent-api 5.
 */
export function registerTrashRoutes(app: AgentApp, deps: FileRouteDeps): void {
  const { trash } = deps;

  app.openapi(
    defineRoute({ access: 'user' }, deps, {
      method: 'get',
      path: '/trash',
      operationId: 'listTrash',
      tags,
      summary: 'Files, folders, apps and chats that were deleted, newest first',
      responses: { 200: jsonResponse(z.array(trashItemSchema), 'Of the last 30 days') },
    }),
    async (c) => c.json([...(await trash.list(c.get('workspace').key))], 200),
  );

  app.openapi(
    defineRoute({ access: 'user', errors: ['not_found', 'conflict'] }, deps, {
      method: 'post',
      path: '/trash/{id}/restore',
      operationId: 'restoreTrash',
      tags,
      summary: 'Have it back where it was, or beside what is there now',
      request: { params },
      responses: { 200: jsonResponse(storedPathSchema, 'Where it is') },
    }),
    async (c) => {
      const path = await trash.restore(c.get('workspace').key, c.req.valid('param').id);
      return c.json({ ok: true as const, path }, 200);
    },
  );

  app.openapi(
    defineRoute({ access: 'user', errors: ['not_found'] }, deps, {
      method: 'delete',
      path: '/trash/{id}',
      operationId: 'deleteTrash',
      tags,
      summary: 'Delete one for good',
      request: { params },
      responses: { 200: jsonResponse(okSchema, 'It is gone') },
    }),
    async (c) => {
      await trash.remove(c.get('workspace').key, c.req.valid('param').id);
      return c.json({ ok: true as const }, 200);
    },
  );

  app.openapi(
    defineRoute({ access: 'user' }, deps, {
      method: 'delete',
      path: '/trash',
      operationId: 'emptyTrash',
      tags,
      summary: 'Delete all of it for good',
      responses: { 200: jsonResponse(okSchema, 'It is empty') },
    }),
    async (c) => {
      await trash.empty(c.get('workspace').key);
      return c.json({ ok: true as const }, 200);
    },
  );
}
