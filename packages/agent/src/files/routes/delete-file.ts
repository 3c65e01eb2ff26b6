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
    summary: 'Move a file or folder to the trash',
    description: 'It can be restored for 30 days with POST /trash/{trash_id}/restore.',
    request: { params: filePathParams },
    responses: { 200: jsonResponse(trashedFileSchema, 'Moved to the trash') },
  }).handle(async (c) => {
    const { id, kind } = await deps.trash.put(c.get('workspace').key, filePath(c), { by: 'user' });
    return c.json({ ok: true as const, trash_id: id, kind }, 200);
  });
}
