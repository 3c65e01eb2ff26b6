import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import {
  createIgnoreRules,
  DEFAULT_PATTERNS,
  IGNORE_FILES,
  type IgnoreRules,
  isAlwaysIgnored,
  type PackEntry,
  packError,
  VIRTUAL_ENVIRONMENT_MARK,
} from '@berth/client/pack';

/** Options of {@link collectEntries}. */
export interface CollectOptions {
  readonly signal?: AbortSignal;
  /** Called for each entry that is skipped although no rule says so. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Yields the entries of a folder to pack in a stable order: by name within a folder, each folder before its entries. Links aren't
 * followed. `root` is absolute.
 * @throws BerthError `archive_invalid` for a link that leads outside and for a name that isn't UTF-8
 */
export async function collectEntries(root: string, options: CollectOptions = {}): Promise<PackEntry[]> {
  const { onWarning = () => {} } = options;
  const entries: PackEntry[] = [];
  const outer = await findOuterRules(root, DEFAULT_PATTERNS);
  const inRules = (file: string) => (outer.prefix === '' ? file : `${outer.prefix}/${file}`);

  async function walk(folder: string, above: IgnoreRules): Promise<void> {
    options.signal?.throwIfAborted();
    const children = await readdir(path.join(root, folder), { withFileTypes: true });
    const rules = await addRules(folder, children, above);
    for (const child of children.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = folder === '' ? child.name : `${folder}/${child.name}`;
      if (isAlwaysIgnored(child.name)) continue;
      if (rules.isIgnored(inRules(file) + (child.isDirectory() ? '/' : ''))) continue;
      if (child.name.includes('\uFFFD')) throw packError(`The name of ${file} is not UTF-8. Rename it.`);
      if (child.isDirectory()) await enter(file, rules);
      else if (child.isSymbolicLink())
        entries.push({ kind: 'link', path: file, target: await resolveLink(root, file) });
      else if (child.isFile()) entries.push(await describeFile(file));
      else onWarning(`${file} is skipped: it is a socket, a pipe or a device.`);
    }
  }

  async function enter(folder: string, rules: IgnoreRules): Promise<void> {
    const mark = path.join(root, folder, VIRTUAL_ENVIRONMENT_MARK);
    if (await lstat(mark).then(Boolean, () => false)) {
      onWarning(`${folder} is skipped: it is a Python virtual environment, and the build makes its own.`);
      return;
    }
    entries.push({ kind: 'folder', path: folder });
    await walk(folder, rules);
  }

  async function describeFile(file: string): Promise<PackEntry> {
    const { size, mode } = await lstat(path.join(root, file));
    return { kind: 'file', path: file, sizeBytes: size, isExecutable: (mode & 0o100) !== 0 };
  }

  async function addRules(folder: string, children: readonly Dirent[], above: IgnoreRules): Promise<IgnoreRules> {
    let rules = above;
    for (const name of IGNORE_FILES) {
      if (!children.some((child) => child.name === name && child.isFile())) continue;
      const place = folder === '' ? outer.prefix : inRules(folder);
      rules = rules.with(place, await readFile(path.join(root, folder, name), 'utf8'));
    }
    return rules;
  }

  await walk('', outer.rules);
  return entries;
}

/**
 * Returns the target of a symbolic link inside `root`, relative to the link. An absolute target inside is made relative, because the
 * archive is unpacked elsewhere. A link without a target is kept.
 * @throws BerthError `archive_invalid` naming a link that leads outside
 */
async function resolveLink(root: string, relativePath: string): Promise<string> {
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
    `${link} is a symlink to outside the folder (${target}). Replace it with the file, or add it to .berthignore.`,
  );
}

/** The ignore rules of a folder before its own ignore files are read. */
interface OuterRules {
  /** Path of the folder below the repository's root, which the rules are rooted at; empty when it is the root itself. */
  readonly prefix: string;
  readonly rules: IgnoreRules;
}

/**
 * `defaults` and then the `.gitignore` files above `folder`, up to the root of its git repository: a monorepo has its
 * `.gitignore` in its root. A folder that they leave out as a whole (`dist`, say) is packed on purpose, and then they
 * do not count; nor do they outside of a repository.
 */
async function findOuterRules(folder: string, defaults: string): Promise<OuterRules> {
  const none: OuterRules = { prefix: '', rules: createIgnoreRules().with('', defaults) };
  const root = await findRepository(folder);
  if (root === undefined || root === folder) return none;
  const parts = path.relative(root, folder).split(path.sep);
  const prefix = parts.join('/');
  let rules = createIgnoreRules().with(prefix, defaults);
  for (let depth = 0; depth < parts.length; depth++) {
    const outer = parts.slice(0, depth).join('/');
    const text = await readFile(path.join(root, outer, '.gitignore'), 'utf8').catch(() => '');
    rules = rules.with(outer, text);
    if (rules.isIgnored(`${parts.slice(0, depth + 1).join('/')}/`)) return none;
  }
  return { prefix, rules };
}

async function findRepository(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const hasGit = await lstat(path.join(current, '.git'))
      .then(() => true)
      .catch(() => false);
    if (hasGit) return current;
    if (current === path.dirname(current)) return undefined;
  }
}
