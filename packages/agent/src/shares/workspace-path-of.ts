const FILES_PREFIX = '/files/';

/**
 * The file of the workspace that the `src` of a picture or the target of a link names: `/files/<path>`, or a relative path
 * as it stands; undefined for what lies elsewhere.
 */
export function workspacePathOf(reference: string): string | undefined {
  const text = reference.trim().replace(/[?#].*$/s, '');
  if (text.startsWith(FILES_PREFIX)) return decode(text.slice(FILES_PREFIX.length));
  // A scheme, an address of this server that is no file, or nothing.
  if (text === '' || /^(?:[a-z][a-z\d+.-]*:|[/\\])/i.test(text)) return undefined;
  return decode(text.replace(/^\.\//, ''));
}

/** The address that {@link workspacePathOf} reads `path` from. */
export function fileUrl(path: string): string {
  return FILES_PREFIX + encodePath(path);
}

/** `path` as it is written in an address: its slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined;
  } catch {
    // A name with a % of its own.
    return text;
  }
}
