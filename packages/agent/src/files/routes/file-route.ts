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
import type { Trash } from '../../trash/create-trash.ts';
import type { WorkspaceFiles } from '../create-workspace-files.ts';

/** Dependencies of the routes of files. */
export interface FileRouteDeps extends RouteGuard {
  readonly files: WorkspaceFiles;
  readonly trash: Pick<Trash, 'put'>;
  readonly office: OfficeFiles;
  readonly clock: Clock;
  /** Bytes of one upload. */
  readonly maxUploadBytes: number;
}

/** The route of a file; its path may contain slashes. */
export const FILE_PATH = '/files/{path{.+}}';

/** Documents the parameter; {@link filePath} reads it from the raw path, decoded once. */
export const filePathParams = z.object({ path: z.string().openapi({ example: 'notes/today.md' }) });

/** Returns the path that a request names. @throws as `parseWorkspacePath` */
export function filePath(c: AgentAppContext): WorkspacePath {
  return parseWorkspacePath(pathAfter(c, '/files/'));
}
