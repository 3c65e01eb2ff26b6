import type { Grant, Signature } from './url-signer.ts';

/** The two places of the storage listener that a URL can be for. */
export const OBJECTS_PREFIX = '/v1/objects/';
export const UPLOADS_PREFIX = '/v1/uploads/';

/** A request target of the storage listener, taken apart. Nothing of it is verified. */
export interface SignedTarget {
  readonly prefix: typeof OBJECTS_PREFIX | typeof UPLOADS_PREFIX;
  readonly account: string;
  readonly storageId: string;
  readonly path: string;
  /** Undefined when the query holds none, or more than one. */
  readonly signature: Signature | undefined;
}

/** The absolute URL of a grant. `baseUrl` may have a path of its own, without a final slash. */
export function formatSignedUrl(
  baseUrl: string,
  prefix: string,
  grant: Omit<Grant, 'method'>,
  signature: Signature,
): string {
  const { account, storageId, path } = grant;
  const place = [account, storageId, ...path.split('/')].map(encodeURIComponent).join('/');
  const { expires, key, signature: text } = signature;
  return `${baseUrl}${prefix}${place}?expires=${expires}&key=${key}&signature=${text}`;
}

/**
 * Reads a raw request target (path and query as they came over the wire, nothing normalised). Undefined for what is not
 * for this listener or can't be decoded.
 */
export function parseSignedTarget(target: string): SignedTarget | undefined {
  const end = target.indexOf('?');
  const pathname = end === -1 ? target : target.slice(0, end);
  const prefix = [OBJECTS_PREFIX, UPLOADS_PREFIX].find((one) => pathname.startsWith(one));
  if (prefix === undefined) return undefined;
  const [account, storageId, ...rest] = pathname.slice(prefix.length).split('/').map(decode);
  if (account === undefined || storageId === undefined || rest.length === 0) return undefined;
  if (rest.some((part) => part === undefined)) return undefined;
  return {
    prefix: prefix as SignedTarget['prefix'],
    ...{ account, storageId },
    path: rest.join('/'),
    signature: readSignature(end === -1 ? '' : target.slice(end + 1)),
  };
}

function readSignature(query: string): Signature | undefined {
  const params = new URLSearchParams(query);
  const one = (name: string) => {
    const values = params.getAll(name);
    return values.length === 1 ? values[0] : undefined;
  };
  const [expires, key, signature] = [one('expires'), one('key'), one('signature')];
  if (expires === undefined || key === undefined || signature === undefined) return undefined;
  return /^\d{1,12}$/.test(expires) ? { expires: Number(expires), key, signature } : undefined;
}

/** Undefined for bytes that are no UTF-8. */
function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
