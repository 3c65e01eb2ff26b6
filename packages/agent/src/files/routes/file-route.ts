import { z } from '@hono/zod-openapi';
import type { AgentAppContext } from '../../http/agent-app.ts';
import type { AgentDeps } from '../../http/agent-deps.ts';
import { pathAfter } from '../../http/raw-path.ts';
import type { Trash } from '../../trash/trash.ts';
import type { WorkspaceFiles } from '../workspace-files.ts';
import { parseWorkspacePath, type WorkspacePath } from '../workspace-path.ts';

/** What the routes of files and trash are made of. */
export interface FileRouteDeps extends AgentDeps {
  readonly files: WorkspaceFiles;
  readonly trash: Trash;
  /** Bytes of one upload. */
  readonly maxUploadBytes: number;
}

export const FILE_TAGS = ['Files'];

/** A path may have slashes in it. */
export const FILE_PATH = '/files/{path{.+}}';

/** Read from the address itself by {@link filePath}, where it is decoded once. */
export const filePathParams = z.object({ path: z.string().openapi({ example: 'notes/today.md' }) });

/** The path that a request for a file names. @throws as `parseWorkspacePath` */
export function filePath(c: AgentAppContext): WorkspacePath {
  return parseWorkspacePath(pathAfter(c, '/files/'));
}
