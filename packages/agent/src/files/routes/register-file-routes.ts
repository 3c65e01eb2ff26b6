import type { AgentApp } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { registerDeleteFile } from './delete-file.ts';
import type { FileRouteDeps } from './file-route.ts';
import { registerListFolder } from './list-folder.ts';
import { registerMakeFolder } from './make-folder.ts';
import { registerMoveFile } from './move-file.ts';
import { registerReadFile } from './read-file.ts';
import { registerWriteBatch } from './write-batch.ts';
import { registerWriteFile } from './write-file.ts';

export interface FileRoutesOptions extends Omit<FileRouteDeps, 'maxUploadBytes'> {
  /** Mebibytes of one upload. */
  readonly maxUploadMb: number | undefined;
}

/**
 * Files of the workspace, for an agent with `auth`. Source: docs/contract/agent-api.md §5.
 * @throws `invalid` when `maxUploadMb` is wrong.
 */
export function registerFileRoutes(app: AgentApp, options: FileRoutesOptions): void {
  const { maxUploadMb = AGENT_LIMITS.uploadMib } = options;
  if (!(maxUploadMb > 0)) throw createError('invalid', 'defineAgent: maxUploadMb must be a number above 0');
  const deps: FileRouteDeps = { ...options, maxUploadBytes: Math.floor(maxUploadMb * 2 ** 20) };
  registerListFolder(app, deps);
  registerReadFile(app, deps);
  registerWriteFile(app, deps);
  registerMakeFolder(app, deps);
  registerMoveFile(app, deps);
  registerDeleteFile(app, deps);
  registerWriteBatch(app, deps);
}
