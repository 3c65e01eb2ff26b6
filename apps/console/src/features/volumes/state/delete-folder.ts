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
        await deleteFile({ client, volume, path, signal });
        onDeleted(++count);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    pageToken = page.next_page_token ?? undefined;
  } while (pageToken !== undefined);
  return count;
}

/** Parameters of {@link deleteFile}. */
export interface DeleteFileOptions extends Pick<DeleteFolderOptions, 'volume' | 'signal'> {
  readonly client: Pick<Client, 'post'>;
  readonly path: string;
}

/** Deletes one object. It is no error if someone else has deleted it meanwhile. */
export async function deleteFile({ client, volume, path, signal }: DeleteFileOptions): Promise<void> {
  try {
    await client.post('/v1/volume/delete-object', { body: { volume, path }, signal });
  } catch (error) {
    if (!BerthError.is(error, 'not_found')) throw error;
  }
}
