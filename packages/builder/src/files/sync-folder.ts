import { open } from 'node:fs/promises';

/** Makes a folder's entries durable: once this resolves, a rename into the folder survives a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
