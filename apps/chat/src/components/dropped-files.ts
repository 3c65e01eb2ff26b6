export interface DroppedFile {
  /** Below the place it was dropped on: with the folders it came in. */
  readonly path: string;
  readonly file: File;
}

/** The files of what was dropped, those in folders included. Must be called within the event: the browser forgets them after. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<readonly DroppedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files].map((file) => ({ path: file.name, file }));
  return (await Promise.all(entries.map((entry) => filesBelow(entry, '')))).flat();
}

async function filesBelow(entry: FileSystemEntry, folder: string): Promise<readonly DroppedFile[]> {
  const path = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const found: DroppedFile[] = [];
  for (const child of await readAll((entry as FileSystemDirectoryEntry).createReader())) {
    found.push(...(await filesBelow(child, `${path}/`)));
  }
  return found;
}

/** A reader gives some at a time, and nothing at the end. */
async function readAll(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
