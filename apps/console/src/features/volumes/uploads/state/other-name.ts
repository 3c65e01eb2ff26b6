/** Returns the path for a numbered copy beside an object: `a/photo.jpg` and 2 give `a/photo (2).jpg`. */
export function otherName(path: string, number: number): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(folder.length);
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return `${folder}${stem} (${number})${name.slice(stem.length)}`;
}
