import type { Client } from '@berth/client';
import type { ObjectsPage } from '@berth/contract';
import { createError } from '@berth/contract/errors';

/** Maximum total size of an archive. The browser holds it in memory; the CLI handles more and can resume. */
export const ZIP_BYTES = 2 ** 30;

/** Parameters of {@link zipFiles}. */
export interface ZipFilesOptions {
  readonly client: Pick<Client, 'get' | 'post'>;
  readonly volume: string;
  /** Prefix to strip from names in the archive: `''`, or a path with a trailing `/`. */
  readonly folder: string;
  /** Paths of objects, and of folders with a trailing `/`. */
  readonly paths: readonly string[];
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  onPacked(count: number): void;
}

/** One file of an archive, in the shape that client-zip takes. */
export interface ZipEntry {
  readonly name: string;
  readonly lastModified: Date;
  readonly input: ReadableStream<Uint8Array> | string;
}

/**
 * Yields the files under `paths` one by one, fetched lazily.
 * @throws `payload_too_large` if they exceed {@link ZIP_BYTES} together; the errors of the storage and the API
 */
export async function* zipFiles(options: ZipFilesOptions): AsyncGenerator<ZipEntry> {
  const { client, volume, folder, fetch: get, signal, onPacked } = options;
  let sizeBytes = 0;
  let count = 0;
  for await (const { path, size, updated } of objectsOf(options)) {
    sizeBytes += size;
    if (sizeBytes > ZIP_BYTES) throw createError('payload_too_large', 'That is too much for one archive.');
    const { url } = await client.post('/v1/volume/download', { body: { volume, object: path }, signal });
    const answer = await get(url, { signal, credentials: 'omit' });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    yield { name: path.slice(folder.length), lastModified: new Date(updated), input: answer.body ?? '' };
    onPacked(++count);
  }
}

async function* objectsOf({
  client,
  volume,
  paths,
  signal,
}: ZipFilesOptions): AsyncGenerator<ObjectsPage['objects'][number]> {
  for (const path of paths) {
    if (!path.endsWith('/')) {
      const { objects } = await client.get('/v1/volume/objects', {
        params: { query: { volume, prefix: path, limit: 1 } },
        signal,
      });
      yield* objects.filter((object) => object.path === path);
      continue;
    }
    let pageToken: string | undefined;
    do {
      const page = await client.get('/v1/volume/objects', {
        params: { query: { volume, prefix: path, page_token: pageToken } },
        signal,
      });
      yield* page.objects;
      pageToken = page.next_page_token ?? undefined;
    } while (pageToken !== undefined);
  }
}
