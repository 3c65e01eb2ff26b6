import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file atomically and durably, with mode 0600: after a crash it has either the old or the new content. */
export async function writeFileDurably(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  {
    await using file = await open(temporary, 'w', 0o600);
    await file.writeFile(content);
    await file.sync();
  }
  await rename(temporary, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}
