/**
 * True for what archivers of desktop systems add on their own (`._name`, `.DS_Store`, `__MACOSX`), and for `.berth` in
 * the root, which is the builder's own folder in an artifact and the CLI's on a desk.
 */
export function isLitter(path: string): boolean {
  const segments = path.split('/');
  if (segments[0] === '.berth' || segments[0] === '__MACOSX') return true;
  return segments.some((segment) => segment.startsWith('._') || segment === '.DS_Store');
}
