import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { packError } from '@berth/client/pack';

/**
 * Returns the target of a symbolic link inside `root`, relative to the link. An absolute target inside is made relative, because the
 * archive is unpacked elsewhere. A link without a target is kept.
 * @throws BerthError `archive_invalid` naming a link that leads outside
 */
export async function resolveLink(root: string, relativePath: string): Promise<string> {
  const link = path.join(root, relativePath);
  const target = await readlink(link);
  const absolute = path.resolve(path.dirname(link), target);
  if (!isInside(root, absolute)) throw leadsOutside(relativePath, target);
  // The path may still lead outside through other links.
  const real = await realpath(link).catch(() => undefined);
  if (real !== undefined && !isInside(await realpath(root), real)) throw leadsOutside(relativePath, target);
  if (!path.isAbsolute(target)) return target.split(path.sep).join('/');
  return path.relative(path.dirname(link), absolute).split(path.sep).join('/') || '.';
}

function isInside(root: string, file: string): boolean {
  return file === root || file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

function leadsOutside(link: string, target: string) {
  return packError(
    `${link} is a link that leads outside of the folder (${target}). Put the file in its place, or name it in .berthignore.`,
  );
}
