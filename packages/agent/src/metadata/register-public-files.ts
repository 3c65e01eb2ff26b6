import { realpath } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentApp,
  findPlace,
  openFile,
  parseWorkspacePath,
  partsOf,
  pathAfter,
  type RouteGuard,
  routesOf,
} from '@berth/agent-core';
import { createError } from '@berth/contract';
import { isAbsence, openFolder } from '@berth/kit/node';
import { z } from '@hono/zod-openapi';
import { serveFile } from '../files/serve-file.ts';

/** Dependencies of {@link registerPublicFiles}. */
export interface PublicFilesDeps extends RouteGuard {
  /** The folder to serve; `public` by default. Relative paths start at `workingFolder`. */
  readonly publicFolder: string | undefined;
  readonly workingFolder: string;
}

/**
 * Registers `GET /public/{path}`, which serves a folder of the agent's owner without sign-in. Source:
 * docs/contract/agent-api.md §3.
 */
export function registerPublicFiles(app: AgentApp, deps: PublicFilesDeps): void {
  const route = routesOf(app, deps, 'Metadata');
  const { publicFolder = 'public', workingFolder } = deps;
  const folder = path.resolve(workingFolder, publicFolder);
  const errors = ['not_found', 'precondition_failed', 'range_not_satisfiable'] as const;
  route('GET /public/{path{.+}}', 'readPublicFile', {
    access: 'public',
    errors,
    summary: 'Download a public file of the agent',
    description: 'Takes `Range`, `If-None-Match` and the other conditions.',
    request: { params: z.object({ path: z.string() }) },
    responses: {
      200: { description: 'The bytes' },
      206: { description: 'A range of the bytes' },
      304: { description: 'Unchanged' },
    },
  }).stream(async (c) => {
    const name = parseWorkspacePath(pathAfter(c, '/public/'));
    const gone = () => createError('not_found', `There is no public file "${name}".`);
    // Dotfiles such as .env and .git aren't meant to be public.
    if (partsOf(name).some((part) => part.startsWith('.'))) throw gone();
    // The folder itself may be a symbolic link; links inside it aren't followed.
    const real = await realpath(folder).catch((error: unknown) =>
      isAbsence(error) ? undefined : Promise.reject(error),
    );
    await using root = real === undefined ? undefined : await openFolder(real);
    await using place = root && (await findPlace(root, name));
    const file = place?.stats.isFile() ? await openFile(place, name) : undefined;
    if (!file) throw gone();
    return serveFile(c, file, { isTrusted: true });
  });
}
