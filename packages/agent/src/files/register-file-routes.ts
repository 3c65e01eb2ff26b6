import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { registerTrashRoutes } from '../trash/register-trash-routes.ts';
import { registerDeleteFile } from './routes/delete-file.ts';
import type { FileRouteDeps } from './routes/file-route.ts';
import { registerListFolder } from './routes/list-folder.ts';
import { registerMakeFolder } from './routes/make-folder.ts';
import { registerMoveFile } from './routes/move-file.ts';
import { registerReadFile } from './routes/read-file.ts';
import { registerWriteBatch } from './routes/write-batch.ts';
import { registerWriteFile } from './routes/write-file.ts';

/**
 * Files of the workspace and its trash, for an agent with `auth`. Source: docs/contract/agent-api.md §5.
 * @throws `invalid` when `maxUploadMb` is wrong.
 */
export function registerFileRoutes(app: AgentApp, agentDeps: AgentDeps): void {
  const { storage, options } = agentDeps;
  if (!storage) throw new Error('files are of an agent with auth only');
  const { maxUploadMb = AGENT_LIMITS.uploadMib } = options;
  if (!(maxUploadMb > 0)) throw createError('invalid', 'defineAgent: maxUploadMb must be a number above 0');
  const maxUploadBytes = Math.floor(maxUploadMb * 2 ** 20);
  const deps: FileRouteDeps = { ...agentDeps, ...storage, maxUploadBytes };
  registerListFolder(app, deps);
  registerReadFile(app, deps);
  registerWriteFile(app, deps);
  registerMakeFolder(app, deps);
  registerMoveFile(app, deps);
  registerDeleteFile(app, deps);
  registerWriteBatch(app, deps);
  registerTrashRoutes(app, deps);
}
