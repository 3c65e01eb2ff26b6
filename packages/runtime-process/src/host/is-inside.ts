/** Returns whether `path` is the folder itself or below it. Both must be absolute and normalized. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
