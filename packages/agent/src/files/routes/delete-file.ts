import { type AgentApp, routesOf } from '@berth/agent-core';
import { trashedFileSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import { FILE_PATH, type FileRouteDeps, filePath, filePathParams } from './file-route.ts';

/** `DELETE /files/{path}`. Source: docs/contract/agent-api.md §5. */
export function registerDeleteFile(app: AgentApp, deps: FileRouteDeps): void {
  const route = routesOf(app, deps, 'Files');
  route(`DELETE ${FILE_PATH}`, 'deleteFile', {
    access: 'user',
    errors: ['forbidden', 'not_found'],
    summary: 'Put a file or folder into the trash',
    description: 'For 30 days it can be had back with POST /trash/{trash_id}/restore.',
    request: { params: filePathParams },
    responses: { 200: jsonResponse(trashedFileSchema, 'It is in the trash') },
  }).handle(async (c) => {
    const { id, kind } = await deps.trash.put(c.get('workspace').key, filePath(c), { by: 'user' });
    return c.json({ ok: true as const, trash_id: id, kind }, 200);
  });
}
