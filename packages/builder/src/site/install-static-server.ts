import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeElement } from '@berth/runtime';
import { ensureFolder } from '../files/ensure-folder.ts';
import { removeTree } from '../files/remove-tree.ts';
import type { StaticSite } from '../plan/plan.ts';

/** Path of the static file server. */
export const STATIC_SERVER = fileURLToPath(new URL('./static-server.mjs', import.meta.url));
/** Berth's own folder in an artifact. */
export const STATIC_FOLDER = '.berth';
const FILE = 'static-server.mjs';

/**
 * Installs the static file server in a sealed project and returns the argv that serves `site.folder`. The caller must
 * still seal the returned `folder`.
 */
export async function installStaticServer(
  project: string,
  site: { readonly folder: string } & StaticSite,
): Promise<{ readonly command: readonly string[]; readonly folder: string }> {
  const folder = join(project, STATIC_FOLDER);
  // A build may have left anything at this path, including a link to another place.
  await removeTree(folder);
  await ensureFolder(folder, 0o755);
  await copyFile(STATIC_SERVER, join(folder, FILE));
  const flags = site.isSinglePage ? ['--single-page'] : [];
  return { command: ['node', `${STATIC_FOLDER}/${FILE}`, escapeElement(site.folder), ...flags], folder };
}
