import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { localhostFetch, openArchive } from '@berth/client/node';
import { createError } from '@berth/contract/errors';
import { createSilentLogger } from '@berth/kit';
import { type LocalArchive, serveMcpStdio } from '@berth/mcp';
import type { Context } from '../command/context.ts';
import { deriveName } from '../deploy/find-source.ts';
import { readProjectFile } from '../deploy/read-project-file.ts';
import { packFolder } from '../pack/pack-folder.ts';

/** Serves the platform's tools over standard input and output, until the agent closes them. `root` is the folder that it may deploy. */
export async function serveTools(root: string, context: Context): Promise<void> {
  const { clock, signal, version } = context;
  await serveMcpStdio({
    version,
    clock,
    // Standard output belongs to the protocol, and a failed tool answers with its reason.
    logger: createSilentLogger(),
    access: {
      client: await context.connect(),
      transfer: (url, init) => localhostFetch(url, { ...init, redirect: 'error' }),
      packFolder: (folder, calling) => packLocal(root, folder, context, calling),
    },
    input: context.standardInput,
    output: context.standardOutput,
    signal,
  });
}

/** @throws `forbidden` for a folder outside `root`; `archive_invalid` for `.env` files, because there is no one to ask */
async function packLocal(root: string, word: string, { machine }: Context, signal: AbortSignal): Promise<LocalArchive> {
  const folder = await findFolder(root, word);
  const project = await readProjectFile(folder);
  const name = project.name ?? (await deriveName({ kind: 'folder', folder }));
  const packed = await packFolder({ folder, temporaryFolder: machine.temporaryFolder, signal, onWarning: () => {} });
  if (packed.secretFiles.length > 0) {
    await packed[Symbol.asyncDispose]();
    const files = packed.secretFiles.join(', ');
    throw createError('archive_invalid', `${files} would be uploaded. Add it to .berthignore, and deploy again.`);
  }
  return {
    archive: await openArchive(packed.file),
    name,
    berthJson: await readFile(path.join(folder, 'berth.json'), 'utf8').catch(() => undefined),
    [Symbol.asyncDispose]: () => packed[Symbol.asyncDispose](),
  };
}

/** Links are resolved first: one inside the root may lead outside. */
async function findFolder(root: string, word: string): Promise<string> {
  const folder = await realpath(path.resolve(root, word)).catch(() => undefined);
  const inside = path.relative(await realpath(root), folder ?? '');
  if (folder === undefined) throw createError('not_found', `There is no folder ${word} in ${root}.`);
  if (inside !== '' && (inside.split(path.sep)[0] === '..' || path.isAbsolute(inside))) {
    throw createError('forbidden', `${word} is outside ${root}, which \`berth mcp\` was started for.`);
  }
  return folder;
}
