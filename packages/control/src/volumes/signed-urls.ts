import { createError, type SignedUrl, toStoredPath } from '@berth/contract';
import type { Clock } from '@berth/kit';
import {
  formatSignedUrl,
  type Grant,
  OBJECTS_PREFIX,
  type ObjectStore,
  UPLOADS_PREFIX,
  type UrlSigner,
  type VolumePlace,
} from '@berth/object-store';

export interface SignedUrlsOptions {
  readonly store: Pick<ObjectStore, 'presign' | 'uploads' | 'name'>;
  readonly signer: Pick<UrlSigner, 'sign'>;
  /** Base URL of the storage listener, without a final slash. */
  storageUrl(): string;
  readonly clock: Clock;
}

/** How long a URL is valid; a transfer must begin within it. Source: docs/contract/control-plane.md §5. */
const LIFE_SECONDS = 15 * 60;

/** Signs the URLs that clients transfer bytes with, past the API. */
export type SignedUrls = ReturnType<typeof createSignedUrls>;

export function createSignedUrls({ store, signer, storageUrl, clock }: SignedUrlsOptions) {
  const answer = (url: string, method: SignedUrl['method'], expiresAtMs: number): SignedUrl => ({
    url,
    method,
    expires_at: new Date(expiresAtMs).toISOString(),
  });
  const sign = (method: 'GET' | 'PUT' | 'POST', place: VolumePlace, path: string): SignedUrl => {
    const grant: Grant = { ...place, method, path };
    const signature = signer.sign(grant, clock.nowMs() + LIFE_SECONDS * 1_000);
    const prefix = method === 'POST' ? UPLOADS_PREFIX : OBJECTS_PREFIX;
    return answer(formatSignedUrl(storageUrl(), prefix, grant, signature), method, signature.expires * 1_000);
  };
  const presign = async (method: 'GET' | 'PUT', place: VolumePlace, path: string): Promise<SignedUrl> => {
    if (!store.presign) return sign(method, place, path);
    const expiresAtMs = clock.nowMs() + LIFE_SECONDS * 1_000;
    return answer(await store.presign({ method, place, path, expiresInSeconds: LIFE_SECONDS }), method, expiresAtMs);
  };
  return {
    /** Signs one PUT. The path is normalized to its stored form. */
    upload: (place: VolumePlace, path: string): Promise<SignedUrl> => presign('PUT', place, toStoredPath(path)),
    download: (place: VolumePlace, path: string): Promise<SignedUrl> => presign('GET', place, path),
    /** Signs the creation of a tus upload. @throws `not_available` when the store supports none. */
    resumableUpload(place: VolumePlace, path: string): SignedUrl {
      if (store.uploads) return sign('POST', place, toStoredPath(path));
      throw createError(
        'not_available',
        `Volumes are kept in ${store.name} on this server, which doesn't support resumable uploads. Send resumable=false.`,
      );
    },
  };
}
