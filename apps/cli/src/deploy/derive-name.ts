import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { toName } from '@berth/client/pack';
import { UsageError } from '../errors/usage-error.ts';

/** Input of {@link deriveName}. */
export type NameSource =
  | { readonly kind: 'folder'; readonly folder: string }
  /** A path whose last part, without its ending, is the name. */
  | { readonly kind: 'file'; readonly file: string };

/**
 * Derives a deployment's name from the folder's package.json, or else from the folder or file, and makes it valid.
 * @throws UsageError when no valid name can be derived
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
