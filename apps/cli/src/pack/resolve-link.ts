import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { packError } from '@berth/client/pack';

/**
 * The target of a symbolic link, relative to the link, for a link that stays inside `root`. An absolute one that leads
 * inside is made relative, because the root is elsewhere once it is unpacked. The link is never followed into the
 * archive; one whose target is missing is kept.
 * @throws `archive_invalid` naming a link that leads outside
 */
export async function resolveLink(root: string, relativePath: string): Promise<string> {
  const link = path.join(root, relativePath);
  const target = await readlink(link);
  const absolute = path.resolve(path.dirname(link), target);
  if (!isInside(root, absolute)) throw leadsOutside(relativePath, target);
  // Through other links the way may still lead outside.
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
