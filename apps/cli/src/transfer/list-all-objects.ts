import type { Client } from '@berth/client';
import type { ObjectsPage } from '@berth/contract';

/** An object as the API lists it. */
export type RemoteObject = ObjectsPage['objects'][number];

/** Yields all objects of a volume whose paths start with `prefix`, in the order of {@link comparePaths}, page by page. */
export async function* listAllObjects(client: Client, volume: string, prefix: string): AsyncGenerator<RemoteObject> {
  for (let pageToken: string | undefined; ; ) {
    const page = await client.get('/v1/volume/objects', {
      params: { query: { volume, prefix, page_token: pageToken } },
    });
    yield* page.objects;
    if (page.next_page_token === null) return;
    pageToken = page.next_page_token;
  }
}
