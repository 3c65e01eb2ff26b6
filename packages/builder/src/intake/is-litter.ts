/**
 * Reports whether a path should be skipped: files that desktop archivers add (`._name`, `.DS_Store`, `__MACOSX`), and
 * `.berth` in the root, which the builder uses in artifacts and the CLI in local projects.
 */
export function isLitter(path: string): boolean {
  const segments = path.split('/');
  if (segments[0] === '.berth' || segments[0] === '__MACOSX') return true;
  return segments.some((segment) => segment.startsWith('._') || segment === '.DS_Store');
}
