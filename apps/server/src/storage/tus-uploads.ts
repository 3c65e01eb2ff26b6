import { createError } from '@berth/contract';
import { BerthError, type Clock } from '@berth/kit';
import {
  formatSignedUrl,
  type PartialUploads,
  type PutResult,
  parseSignedTarget,
  type SignedTarget,
  UPLOADS_PREFIX,
  type UrlSigner,
  type VolumePlace,
} from '@berth/object-store';
import { Server } from '@tus/server';
import { DataStore, Upload } from '@tus/utils';
import { type Exchange, IDLE_MS } from './exchange.ts';

/** Options of {@link createTusUploads}. */
export interface TusUploadsOptions {
  readonly uploads: PartialUploads;
  readonly signer: Pick<UrlSigner, 'sign'>;
  storageUrl(): string;
  onStored(place: VolumePlace, result: PutResult): void;
  readonly clock: Clock;
}

type TusRequest = Parameters<NonNullable<ConstructorParameters<typeof Server>[0]['generateUrl']>>[0];

/** Lifetime of an upload's URL. */
const LIFE_MS = 24 * 3_600_000;

/** Creates the handler of resumable uploads in the tus protocol (tus.io, version 1.0.0). */
export function createTusUploads({ uploads, signer, storageUrl, onStored, clock }: TusUploadsOptions) {
  const server = new Server({
    path: UPLOADS_PREFIX,
    datastore: createTusStore(uploads),
    // Called when the headers are valid: an upload begins here.
    async namingFunction(request) {
      const { account, storageId, path } = targetOf(request);
      const sizeBytes = Number(request.headers.get('upload-length'));
      if (!Number.isSafeInteger(sizeBytes)) throw createError('bad_request', 'Upload-Length is not a valid length.');
      return (await uploads.begin({ account, storageId }, path, sizeBytes)).id;
    },
    generateUrl(request, { id }) {
      const { account, storageId } = targetOf(request);
      const grant = { account, storageId, path: id };
      return formatSignedUrl(
        storageUrl(),
        UPLOADS_PREFIX,
        grant,
        signer.sign({ ...grant, method: 'PATCH' }, clock.nowMs() + LIFE_MS),
      );
    },
    getFileIdFromRequest: (request) => targetOf(request).path,
    async onUploadFinish(_request, upload) {
      const { place } = await getUpload(uploads, upload.id);
      const result = await uploads.finish(upload.id);
      onStored(place, result);
      // For an upload that completed at once, tus asks for its expiry by a name that no longer exists.
      upload.creation_date = undefined;
      return { headers: { ETag: result.object.etag } };
    },
    onResponseError: (_request, error) =>
      BerthError.is(error) ? { status_code: error.status, body: `${error.message}\n` } : undefined,
  });
  return {
    /** Handles a request whose signature was verified. */
    async handle({ request, response }: Exchange): Promise<void> {
      // A client that vanished must not block the upload's next request.
      request.setTimeout(IDLE_MS, () => request.destroy());
      await server.handle(request, response);
    },
  };
}

/** Returns the request target as received; a URL object would normalize it. */
function targetOf(request: TusRequest): SignedTarget {
  const target = parseSignedTarget(request.runtime?.node?.req.url ?? '');
  if (target) return target;
  throw createError('not_found', 'Nothing was found at this path.');
}

async function getUpload(uploads: PartialUploads, id: string) {
  const upload = await uploads.find(id);
  if (upload) return upload;
  throw createError('not_found', 'The upload does not exist or is complete. Start a new upload.');
}

function createTusStore(uploads: PartialUploads): DataStore {
  const store = new DataStore();
  store.extensions = ['creation', 'creation-with-upload', 'expiration', 'termination'];
  const describe = async (id: string) => {
    const { sizeBytes, offset, createdAtMs } = await getUpload(uploads, id);
    return new Upload({ id, size: sizeBytes, offset, creation_date: new Date(createdAtMs).toISOString() });
  };
  return Object.assign(store, {
    async create(upload: Upload) {
      upload.creation_date = (await describe(upload.id)).creation_date;
      return upload;
    },
    getUpload: describe,
    write: async (...[body, id, offset]: Parameters<DataStore['write']>) =>
      (await uploads.append(id, offset, body)).offset,
    remove: (id: string) => uploads.abort(id),
    getExpiration: () => LIFE_MS,
  });
}
