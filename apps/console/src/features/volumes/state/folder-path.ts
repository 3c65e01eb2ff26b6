/** A part of a folder's path, with the whole path up to it. */
export interface Crumb {
  readonly name: string;
  /** With its `/`. */
  readonly path: string;
}

/** The folders that lead to `folder`, which is `''` or ends in `/`. */
export function crumbsOf(folder: string): readonly Crumb[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((name, index) => ({ name, path: `${names.slice(0, index + 1).join('/')}/` }));
}

/** The last part of an object's or a folder's path. */
export function nameOf(path: string): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? path;
}

/** The folder that an address names: of one that is written without its `/`, or is none, the one that is meant. */
export function readFolder({ path }: Readonly<Record<string, unknown>>): { readonly path?: string } {
  if (typeof path !== 'string' || path === '' || path === '/') return {};
  return { path: path.endsWith('/') ? path : `${path}/` };
}

/** Bytes of one part of a path. Source: object-path of the contract. */
const NAME_BYTES = 255;

/** Whether a folder may be called that. */
export function isFolderName(name: string): boolean {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
  return isPlain && new TextEncoder().encode(name).length <= NAME_BYTES;
}
