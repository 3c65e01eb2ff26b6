import { type AgentApp, routesOf } from '@berth/agent-core';
import { storedPathSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { FILE_PATH, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** `POST /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerMakeFolder(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  route(`POST ${FILE_PATH}`, 'makeFolder', {
    access: 'user',
    errors: ['forbidden', 'conflict'],
    summary: 'Create a folder and its parents',
    request: { params: filePathParams },
    responses: { 200: jsonResponse(storedPathSchema, 'The folder exists') },
  }).handle(async (c) => {
    const path = filePath(c);
    await deps.files.makeFolder(c.get('workspace').key, path);
    return c.json({ ok: true as const, path }, 200);
  });
}
