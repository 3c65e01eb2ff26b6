declare const fileRoute: unique symbol;
/**
 * The address of a file of the workspace or of a share, on this server. It is made here alone, of names that are encoded one
 * by one, so that nothing else is read with the person's token because a message, a file or a share names it.
 */
export type FileUrl = string & { readonly [fileRoute]: true };

/** Other forms of a file, which the server makes. */
export type FileForm = 'pdf' | 'slides';

/** As the server refuses them too: a URL follows the dots, however they are written. */
const NO_NAME = /^\.{0,2}$|[/\\\0]/;

/**
 * The route of a file or folder of the workspace.
 * @throws Error for a path that a URL would not keep, such as `../config`.
 */
export function fileUrl(path: string, as?: FileForm): FileUrl {
  const url = makeUrl(['files', ...path.split('/')], as && `?as=${as}`);
  if (url === undefined) throw new Error(`"${path}" is not the path of a file.`);
  return url;
}

/**
 * Returns the URL as one of a file on this server, and undefined for every other route, including paths that name a file only
 * if a server decodes them twice. The query keeps only the workspace of a share.
 */
export function findFileUrl({ pathname, searchParams }: URL): FileUrl | undefined {
  const [route, ...names] = pathname.slice(1).split('/');
  if (route === 'files' && names.length > 0) return decodeUrl(['files', ...names]);
  if (route !== 'share' || names[2] !== 'file' || names.length < 4) return undefined;
  const team = searchParams.get('ws');
  return decodeUrl(['share', ...names], team === null ? '' : `?ws=${encodeURIComponent(team)}`);
}

function decodeUrl(names: readonly string[], query?: string): FileUrl | undefined {
  try {
    return makeUrl(names.map(decodeURIComponent), query);
  } catch {
    return undefined;
  }
}

function makeUrl(names: readonly string[], query = ''): FileUrl | undefined {
  if (names.some((name) => NO_NAME.test(name))) return undefined;
  return `/${names.map(encodeURIComponent).join('/')}${query}` as FileUrl;
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

/** The path of an uploaded attachment: its name follows eight random characters, which keep files of one name apart. */
const ATTACHED = /^attachments\/\w{8}-([^/]+)$/;

/** Returns the path under which an attachment is uploaded. */
export function attachmentPath(id: string, name: string): string {
  return `attachments/${id.replaceAll('-', '').slice(0, 8)}-${name.replaceAll(/[/\\]/g, '_')}`;
}

/** Returns the name that people gave the file at a path. */
export function nameOfPath(path: string): string {
  return ATTACHED.exec(path)?.[1] ?? path.slice(path.lastIndexOf('/') + 1);
}
