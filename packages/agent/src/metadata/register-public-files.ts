import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import { isAbsence, openFolder } from '@berth/kit/node';
import { findPlace } from '../files/find-place.ts';
import { openFile } from '../files/open-file.ts';
import { serveFile } from '../files/serve-file.ts';
import { parseWorkspacePath, partsOf } from '../files/workspace-path.ts';
import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { pathAfter } from '../http/raw-path.ts';

/** `GET /public/{path}`: files of the agent's owner that anybody may have. Source: docs/contract/agent-api.md §3. */
export function registerPublicFiles(app: AgentApp, { options, workingFolder }: AgentDeps): void {
  const folder = path.resolve(workingFolder, options.publicFolder ?? 'public');
  app.get('/public/:path{.+}', async (c) => {
    const name = parseWorkspacePath(pathAfter(c, '/public/'));
    const gone = () => createError('not_found', `There is no public file "${name}".`);
    // What begins with a dot is not meant for others: .env, .git.
    if (partsOf(name).some((part) => part.startsWith('.'))) throw gone();
    // The folder itself may be a link; nothing in it is followed.
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
