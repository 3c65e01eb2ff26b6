import type { Grant, Signature } from './url-signer.ts';

/** Path prefixes of the storage listener. */
export const OBJECTS_PREFIX = '/v1/objects/';
export const UPLOADS_PREFIX = '/v1/uploads/';

/** A request target of the storage listener, parsed but not verified. */
export interface SignedTarget {
  readonly prefix: typeof OBJECTS_PREFIX | typeof UPLOADS_PREFIX;
  readonly account: string;
  readonly storageId: string;
  readonly path: string;
  /** Undefined when the query has none, or more than one. */
  readonly signature: Signature | undefined;
}

/** Returns the absolute URL of a grant. `baseUrl` may have a path, without a final slash. */
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
 * Parses a raw request target: path and query as received, without normalization. Undefined for a target that is not
 * for this listener, or can't be decoded.
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
    account,
    storageId,
    path: rest.join('/'),
    // Stryker disable next-line StringLiteral: any text without the three parameters has no signature.
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
  // Stryker disable next-line ConditionalExpression: the pattern below refuses a missing expiry as well.
  if (expires === undefined || key === undefined || signature === undefined) return undefined;
  return /^\d{1,12}$/.test(expires) ? { expires: Number(expires), key, signature } : undefined;
}

/** Decodes percent-escapes; undefined for invalid UTF-8. */
function decode(part: string): string | undefined {
  let text: string | undefined;
  try {
    text = decodeURIComponent(part);
  } catch {
    // Not UTF-8.
  }
  return text;
}
