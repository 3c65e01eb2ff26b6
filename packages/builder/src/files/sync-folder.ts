import { open } from 'node:fs/promises';

/** Makes the folder's own entries durable: a rename into it survives a power cut once this resolves. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
