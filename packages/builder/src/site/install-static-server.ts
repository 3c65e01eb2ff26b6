import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeElement } from '@berth/runtime';
import { ensureFolder } from '../files/ensure-folder.ts';
import { removeTree } from '../files/remove-tree.ts';
import type { StaticSite } from '../plan/plan.ts';

/** The file that serves a static site. */
export const STATIC_SERVER = fileURLToPath(new URL('./static-server.mjs', import.meta.url));
/** Berth's own folder in an artifact. */
const FOLDER = '.berth';
const FILE = 'static-server.mjs';

/**
 * Puts the static file server into a sealed project and answers the argv that serves `site.folder` with it.
 * The folder it goes to still has to be sealed.
 */
export async function installStaticServer(
  project: string,
  site: { readonly folder: string } & StaticSite,
): Promise<{ readonly command: readonly string[]; readonly folder: string }> {
  const folder = join(project, FOLDER);
  // A build may have left anything there, a link to elsewhere included.
  await removeTree(folder);
  await ensureFolder(folder, 0o755);
  await copyFile(STATIC_SERVER, join(folder, FILE));
  const flags = site.isSinglePage ? ['--single-page'] : [];
  return { command: ['node', `${FOLDER}/${FILE}`, escapeElement(site.folder), ...flags], folder };
}
