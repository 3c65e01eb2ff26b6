import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';

/** Concurrent deletions. */
const PARALLEL = 6;

/** Parameters of {@link deleteFolder}. */
export interface DeleteFolderOptions {
  readonly client: Pick<Client, 'get' | 'post'>;
  readonly volume: string;
  /** Path with a trailing `/`. */
  readonly folder: string;
  readonly signal: AbortSignal;
  onDeleted(count: number): void;
}

/**
 * Deletes all objects in a folder and returns their number. Objects that someone else deletes meanwhile are no error.
 */
export async function deleteFolder({
  client,
  volume,
  folder,
  signal,
  onDeleted,
}: DeleteFolderOptions): Promise<number> {
  let count = 0;
  let pageToken: string | undefined;
  do {
    const page = await client.get('/v1/volume/objects', {
      params: { query: { volume, prefix: folder, page_token: pageToken } },
      signal,
    });
    const paths = page.objects.map(({ path }) => path);
    const work = async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        signal.throwIfAborted();
        await deleteOne(path);
        onDeleted(++count);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    pageToken = page.next_page_token ?? undefined;
  } while (pageToken !== undefined);
  return count;

  async function deleteOne(path: string): Promise<void> {
    try {
      await client.post('/v1/volume/delete-object', { body: { volume, path }, signal });
    } catch (error) {
      if (!BerthError.is(error, 'not_found')) throw error;
    }
  }
}
