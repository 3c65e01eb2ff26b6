import type { IncomingMessage, ServerResponse } from 'node:http';
import { createError, parseObjectPath, redactTarget } from '@berth/contract';
import type { WholeRequest, WholeRequests, WholeResponse } from '@berth/gateway';
import { type Clock, describeError, type IdSource, type Logger } from '@berth/kit';
import {
  OBJECTS_PREFIX,
  type ObjectStore,
  type PutResult,
  parseSignedTarget,
  type SignedTarget,
  type UrlSigner,
  type VolumePlace,
  type VolumeSize,
} from '@berth/object-store';
import { answerError, type Exchange, renderError } from './exchange.ts';
import { readPutHeaders, receiveObject } from './receive-object.ts';
import { sendObject } from './send-object.ts';
import { createTusUploads } from './tus-uploads.ts';

/** Options of {@link createStorageHandler}. */
export interface StorageHandlerOptions {
  readonly store: ObjectStore;
  readonly signer: UrlSigner;
  /** Base URL of this listener, as clients reach it. */
  storageUrl(): string;
  /** Returns true when the place belongs to an existing volume. */
  hasVolume(place: VolumePlace): Promise<boolean>;
  /** Called with each change of a volume's size. */
  onChange(place: VolumePlace, change: VolumeSize): void;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** Serves signed URLs. */
export interface StorageHandler {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Small objects that are put, for a front that reads them at once. Absent when the store wants a stream. */
  readonly whole?: WholeRequests;
}

/**
 * Creates the handler of signed URLs, which move bytes to and from volumes without the API. It reads no account credential: the URL
 * says what a request may do, and its signature is verified before anything else is read.
 */
export function createStorageHandler(options: StorageHandlerOptions): StorageHandler {
  const { store, signer, storageUrl, hasVolume, clock, ids, logger } = options;
  const noteStored = (place: VolumePlace, { object, replacedBytes }: PutResult) =>
    options.onChange(place, {
      sizeBytes: object.sizeBytes - (replacedBytes ?? 0),
      objectCount: replacedBytes === undefined ? 1 : 0,
    });
  const tus =
    store.uploads && createTusUploads({ uploads: store.uploads, signer, storageUrl, clock, onStored: noteStored });

  const handleObject = async (exchange: Exchange, place: VolumePlace, path: string): Promise<void> => {
    const { request, response } = exchange;
    if (request.method === 'PUT') {
      const result = await receiveObject(exchange, store, place, path);
      noteStored(place, result);
      response.writeHead(200, { ETag: result.object.etag, 'Content-Length': 0 }).end();
      return;
    }
    await using open = await store.open(place, path);
    if (!open) throw createError('not_found', 'The object no longer exists.');
    await sendObject(exchange, open);
  };

  /** Finds what a request may act on. @throws BerthError of a request that may do nothing */
  const admit = async (method: string, url: string) => {
    const target = parseSignedTarget(url);
    if (!target) throw createError('not_found', 'This listener serves only signed object URLs.');
    requireMethod(target, method);
    verify(signer, target, method);
    const place = { account: target.account, storageId: target.storageId };
    if (!(await hasVolume(place))) throw createError('not_found', 'The volume was deleted.');
    return { target, place };
  };

  const handle = async (exchange: Exchange): Promise<void> => {
    const { request, response } = exchange;
    if (request.method === 'OPTIONS') return answerPreflight(response);
    const { target, place } = await admit(request.method ?? '', request.url ?? '');
    if (target.prefix === OBJECTS_PREFIX) await handleObject(exchange, place, target.path);
    else if (tus) await tus.handle(exchange);
    else throw createError('not_available', 'This object store has no resumable uploads.');
  };

  const logRefusal = (requestId: string, { method, url }: Pick<IncomingMessage, 'method' | 'url'>, error: unknown) => {
    const target = redactTarget(url ?? '');
    logger.debug({ requestId, method, target, error: describeError(error) }, 'a transfer was refused');
  };
  const { putBytes } = store;
  const serveWhole = async (put: NonNullable<typeof putBytes>, request: WholeRequest): Promise<WholeResponse> => {
    const requestId = ids.next<'request'>('req');
    const common = [...ANSWER_HEADERS_FLAT, 'X-Request-Id', requestId];
    try {
      const { target, place } = await admit(request.method, request.url);
      const result = await put(place, target.path, request.body, readPutHeaders(request.headers));
      noteStored(place, result);
      return { status: 200, headers: [...common, 'ETag', result.object.etag, 'Content-Length', '0'] };
    } catch (error) {
      logRefusal(requestId, request, error);
      const { status, headers, body } = renderError({ logger, requestId }, error);
      return { status, headers: [...common, ...headers.flat()], body };
    }
  };

  return {
    handle(request, response) {
      const requestId = ids.next<'request'>('req');
      const exchange: Exchange = { request, response, requestId, clock, logger };
      response.setHeader('X-Request-Id', requestId);
      allowEveryOrigin(response);
      // A client that disconnects is not an error.
      response.on('error', () => {});
      handle(exchange).catch((error: unknown) => {
        logRefusal(requestId, request, error);
        answerError(exchange, error);
      });
    },
    ...(putBytes && {
      whole: {
        has: (method, url) => method === 'PUT' && url.startsWith(OBJECTS_PREFIX),
        serve: (request) => serveWhole(putBytes, request),
      } satisfies WholeRequests,
    }),
  };
}

const METHODS = { objects: ['GET', 'HEAD', 'PUT'], uploads: ['POST', 'PATCH', 'HEAD', 'DELETE'] } as const;

function requireMethod({ prefix }: SignedTarget, method: string): void {
  const methods: readonly string[] = prefix === OBJECTS_PREFIX ? METHODS.objects : METHODS.uploads;
  if (methods.includes(method)) return;
  const allow = [...methods, 'OPTIONS'].join(', ');
  throw createError('method_not_allowed', `${method} is not supported here.`, { details: { allow } });
}

/** Verifies a URL. @throws BerthError `forbidden` when it isn't signed for this request, or has expired */
function verify(signer: UrlSigner, target: SignedTarget, method: string): void {
  const { account, storageId, path, signature } = target;
  const parsed = parseObjectPath(path);
  const grant = { method: grantedBy(target, method), account, storageId, path };
  // A path with `..` is refused even when it is signed.
  const verdict = signature && 'path' in parsed && parsed.path === path ? signer.verify(grant, signature) : 'wrong';
  if (verdict === 'good') return;
  throw createError(
    'forbidden',
    verdict === 'expired'
      ? 'This URL has expired. Ask the API for a new one.'
      : 'This URL is not signed for this request. Use the URL and method exactly as the API returned them.',
  );
}

/** Returns the method that a URL must be signed for to be used with `method`. */
function grantedBy({ prefix }: SignedTarget, method: string): 'GET' | 'PUT' | 'POST' | 'PATCH' {
  if (prefix === OBJECTS_PREFIX) return method === 'PUT' ? 'PUT' : 'GET';
  return method === 'POST' ? 'POST' : 'PATCH';
}

/** Every page may use the signed URLs it has, because no cookie or other credential is read here. */
const ANSWER_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Last-Modified, Content-Range, Accept-Ranges, Content-Length, Repr-Digest, X-Request-Id, Location, Upload-Offset, Upload-Length, Upload-Expires, Tus-Resumable, Tus-Version, Tus-Extension',
} as const;

const ANSWER_HEADERS_FLAT = Object.entries(ANSWER_HEADERS).flat();

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT, POST, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-MD5, x-amz-checksum-sha256, Range, If-Match, If-None-Match, If-Range, Want-Repr-Digest, If-Modified-Since, If-Unmodified-Since, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata',
  'Access-Control-Max-Age': '86400',
  'Tus-Resumable': '1.0.0',
  'Tus-Version': '1.0.0',
  'Tus-Extension': 'creation,creation-with-upload,expiration,termination',
} as const;

/** Adds the CORS headers that let every page read the response. */
function allowEveryOrigin(response: ServerResponse): void {
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value);
}

/** Answers a CORS preflight. It needs no signature because it does nothing. */
function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, PREFLIGHT_HEADERS).end();
}
