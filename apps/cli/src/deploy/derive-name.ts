import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { toName } from '@berth/client/pack';
import { UsageError } from '../errors/usage-error.ts';

/** What a deployment may be named after. */
export type NameSource =
  | { readonly kind: 'folder'; readonly folder: string }
  /** A path whose last part, without its ending, is the name. */
  | { readonly kind: 'file'; readonly file: string };

/**
 * The name of a deployment that is not given one: of the folder's package.json, else of the folder or file itself,
 * made valid.
 * @throws UsageError when nothing of it can be a name
 */
export async function deriveName(source: NameSource): Promise<string> {
  const candidates =
    source.kind === 'folder'
      ? [await readPackageName(source.folder), path.basename(source.folder)]
      : [path.basename(source.file).replace(/\.(tar\.gz|tgz|tar|gz)$/i, '')];
  for (const candidate of candidates) {
    const name = toName(candidate ?? '');
    if (name !== '') return name;
  }
  throw new UsageError('No name can be made of the folder. Give one with --name.');
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
