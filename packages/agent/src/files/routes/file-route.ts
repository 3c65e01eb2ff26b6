import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { AgentAppContext } from '../../http/agent-app.ts';
import { pathAfter } from '../../http/raw-path.ts';
import type { RouteGuard } from '../../http/require-user.ts';
import type { OfficeFiles } from '../../render/office-files.ts';
import type { Trash } from '../../trash/trash.ts';
import type { WorkspaceFiles } from '../workspace-files.ts';
import { parseWorkspacePath, type WorkspacePath } from '../workspace-path.ts';

/** What the routes of files stand on. */
export interface FileRouteDeps extends RouteGuard {
  readonly files: WorkspaceFiles;
  readonly trash: Pick<Trash, 'put'>;
  readonly office: OfficeFiles;
  readonly clock: Clock;
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
