import {
  type AgentAppContext,
  parseWorkspacePath,
  pathAfter,
  type RouteGuard,
  type WorkspacePath,
} from '@berth/agent-core';
import type { OfficeFiles } from '@berth/agent-render';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { Trash } from '../../trash/trash.ts';
import type { WorkspaceFiles } from '../workspace-files.ts';

/** What the routes of files need. */
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
