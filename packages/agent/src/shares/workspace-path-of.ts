import { parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';

const FILES_PREFIX = '/files/';

/**
 * The file of the workspace that the `src` of a picture or the target of a link names: `/files/<path>`, or a relative path
 * as it stands; undefined for what lies elsewhere, or is no path that a workspace has.
 */
export function workspacePathOf(reference: string): WorkspacePath | undefined {
  const text = reference.trim().replace(/[?#].*$/s, '');
  if (text.startsWith(FILES_PREFIX)) return parse(text.slice(FILES_PREFIX.length));
  // A scheme, an address of this server that is no file, or nothing.
  if (text === '' || /^(?:[a-z][a-z\d+.-]*:|[/\\])/i.test(text)) return undefined;
  return parse(text.replace(/^\.\//, ''));
}

/** The address that {@link workspacePathOf} reads `path` from. */
export function fileUrl(path: string): string {
  return FILES_PREFIX + encodePath(path);
}

/** `path` as it is written in an address: its slashes stay. */
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
    // A name with a % of its own.
    return text;
  }
}
