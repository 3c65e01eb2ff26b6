import { parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';

const FILES_PREFIX = '/files/';

/**
 * Returns the workspace file that the `src` of an image or the target of a link references, either as `/files/<path>` or
 * as a relative path. Returns undefined for other addresses and for invalid paths.
 */
export function workspacePathOf(reference: string): WorkspacePath | undefined {
  const text = reference.trim().replace(/[?#].*$/s, '');
  if (text.startsWith(FILES_PREFIX)) return parse(text.slice(FILES_PREFIX.length));
  // Empty, a URL with a scheme, or an absolute path outside `/files/`.
  if (text === '' || /^(?:[a-z][a-z\d+.-]*:|[/\\])/i.test(text)) return undefined;
  return parse(text.replace(/^\.\//, ''));
}

/** Returns the URL path of a workspace file, which {@link workspacePathOf} parses. */
export function fileUrl(path: string): string {
  return FILES_PREFIX + encodePath(path);
}

/** Percent-encodes each segment of `path` and keeps its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function parse(encoded: string): WorkspacePath | undefined {
  try {
    return parseWorkspacePath(decode(encoded));
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The name contains a literal %.
    return text;
  }
}
