/** One segment of a folder's path, with the full path up to it. */
export interface Crumb {
  readonly name: string;
  /** Path with a trailing `/`. */
  readonly path: string;
}

/** Returns the breadcrumbs of `folder`, which is `''` or ends in `/`. */
export function crumbsOf(folder: string): readonly Crumb[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((name, index) => ({ name, path: `${names.slice(0, index + 1).join('/')}/` }));
}

/** Returns the last segment of an object's or a folder's path. */
export function nameOf(path: string): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? path;
}

/** Returns the folder that an address names. Adds a missing trailing `/` and drops invalid values. */
export function readFolder({ path }: Readonly<Record<string, unknown>>): { readonly path?: string } {
  if (typeof path !== 'string' || path === '' || path === '/') return {};
  return { path: path.endsWith('/') ? path : `${path}/` };
}

/** Maximum bytes in one segment of a path. Source: object-path of the contract. */
const NAME_BYTES = 255;

/** Returns whether `name` is a valid folder name. */
export function isFolderName(name: string): boolean {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
  return isPlain && new TextEncoder().encode(name).length <= NAME_BYTES;
}
