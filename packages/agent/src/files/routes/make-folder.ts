import { type AgentApp, defineRoute } from '@berth/agent-core';
import { storedPathSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { FILE_PATH, FILE_TAGS, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** `POST /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerMakeFolder(app: AgentApp, deps: FileRouteDeps): void {
  const route = defineRoute({ access: 'user', errors: ['forbidden', 'conflict'] }, deps, {
    method: 'post',
    path: FILE_PATH,
    operationId: 'makeFolder',
    tags: FILE_TAGS,
    summary: 'Make a folder, and those around it',
    request: { params: filePathParams },
    responses: { 200: jsonResponse(storedPathSchema, 'It is there; maybe it was') },
  });
  app.openapi(route, async (c) => {
    const path = filePath(c);
    await deps.files.makeFolder(c.get('workspace').key, path);
    return c.json({ ok: true as const, path }, 200);
  });
}
