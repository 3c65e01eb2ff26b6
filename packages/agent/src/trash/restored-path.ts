import { nameOf, parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';

/** Bytes of a name on the usual file systems. */
const MAX_NAME_BYTES = 255;

/** Returns the path to restore to when the original is taken: `a (restored).txt`, `a (restored 2).txt`, … for `attempt` 1, 2, … */
export function restoredPath(path: WorkspacePath, attempt: number): WorkspacePath {
  if (attempt === 0) return path;
  const name = nameOf(path);
  // A leading dot starts a hidden name, not an extension.
  const dot = name.lastIndexOf('.');
  const [base, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const suffix = ` (restored${attempt === 1 ? '' : ` ${attempt}`})${extension}`;
  let kept = base;
  while (Buffer.byteLength(kept + suffix) > MAX_NAME_BYTES) kept = [...kept].slice(0, -1).join('');
  return parseWorkspacePath(path.slice(0, path.length - name.length) + kept + suffix);
}
