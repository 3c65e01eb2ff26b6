export interface DroppedFile {
  /** Path relative to the drop target, including the folders that were dropped. */
  readonly path: string;
  readonly file: File;
}

/** Returns the dropped files, including those in folders. Must be called during the event: the browser clears the data afterwards. */
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

/** Reads all entries: a reader returns them in batches, and an empty batch at the end. */
async function readAll(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
