/** The route of a file or folder of the workspace: each name of its path is encoded. */
export function fileUrl(path: string): string {
  return `/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** A path in a folder; the workspace itself is ''. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The folder that a path is in. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The folders on the way to `path`, itself included, the outermost first. */
export function crumbsOf(path: string): readonly Crumb[] {
  const names = path === '' ? [] : path.split('/');
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }));
}
