import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { toName } from '@berth/client/pack';
import { LIMITS } from '@berth/contract';
import { UsageError } from '../errors/usage-error.ts';
import { formatBytes } from '../output/format-bytes.ts';
import type { DeployOptions } from './deploy-options.ts';

/** The source of a deploy. Paths are absolute. */
export type Source =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'archive'; readonly file: string }
  | { readonly kind: 'object'; readonly object: string };

/**
 * Finds the source that a command line names: a folder (the working folder by default), an archive, or an object.
 * @throws UsageError for two sources, for a missing one, and for an archive that is too large
 */
export async function findSource(
  word: string | undefined,
  { archive, sourceObject }: DeployOptions,
  workingFolder: string,
): Promise<Source> {
  const given = [
    word === undefined ? undefined : 'a folder',
    archive && '--archive',
    sourceObject && '--source-object',
  ];
  const [first, second] = given.filter((one) => one !== undefined);
  if (second) throw new UsageError(`Give ${first} or ${second}, not both.`);
  if (sourceObject !== undefined) return { kind: 'object', object: sourceObject };
  const file = path.resolve(workingFolder, archive ?? word ?? '.');
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new UsageError(`${file} does not exist.`);
  if (archive === undefined) {
    if (!found.isDirectory()) throw new UsageError(`${file} is not a folder. Deploy an archive with --archive.`);
    return { kind: 'folder', folder: file };
  }
  if (!found.isFile()) throw new UsageError(`${file} is not a file.`);
  if (found.size > LIMITS.archiveBytes) {
    const most = formatBytes(LIMITS.archiveBytes);
    throw new UsageError(
      `${file} has ${formatBytes(found.size)}; ${most} are allowed. Upload larger sources to a volume and use --source-object.`,
    );
  }
  return { kind: 'archive', file };
}

/**
 * Derives a deployment's name from the folder's package.json, or else from the folder or file, and makes it valid.
 * @throws UsageError when no valid name can be derived
 */
export async function deriveName(source: Source): Promise<string> {
  const withoutEnding = (file: string) => path.basename(file).replace(/\.(tar\.gz|tgz|tar|gz)$/i, '');
  const candidates =
    source.kind === 'folder'
      ? [await readPackageName(source.folder), path.basename(source.folder)]
      : [withoutEnding(source.kind === 'archive' ? source.file : source.object)];
  for (const candidate of candidates) {
    const name = toName(candidate ?? '');
    if (name !== '') return name;
  }
  throw new UsageError("Can't derive a name from the folder. Give one with --name.");
}

async function readPackageName(folder: string): Promise<string | undefined> {
  try {
    const { name } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name.replace(/^@[^/]*\//, '') : undefined;
  } catch {
    // No package.json, or one that the build will complain about.
    return undefined;
  }
}
