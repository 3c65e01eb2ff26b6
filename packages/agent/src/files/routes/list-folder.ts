import { type AgentApp, parseFolderPath, routesOf } from '@berth/agent-core';
import { fileEntrySchema, listFilesQuerySchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { FileRouteDeps } from './file-route.ts';

/** `GET /files`. Source: docs/contract/agent-api.md §5. */
export function registerListFolder(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  route('GET /files', 'listFiles', {
    access: 'user',
    errors: ['forbidden'],
    summary: 'List a folder, folders first',
    description: 'At most 10,000. Dot entries and links are not shown.',
    request: { query: listFilesQuerySchema },
    responses: { 200: jsonResponse(z.array(fileEntrySchema), 'Empty when there is no such folder') },
  }).handle(async (c) => {
    const { path, ...options } = c.req.valid('query');
    const entries = await deps.files.list(c.get('workspace').key, parseFolderPath(path, ['query', 'path']), options);
    return c.json([...entries], 200);
  });
}
