import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookRequest } from './webhook-types.ts';

/** The options of {@link verifyHmac}. */
export interface VerifyHmacOptions {
  /** The secret shared with the sender, not empty. */
  readonly secret: string;
  /** Header of the signature, e.g. `x-hub-signature-256`. */
  readonly header: string;
  /** Text before the signature, e.g. `sha256=`; none by default. */
  readonly prefix?: string;
  readonly encoding?: 'hex' | 'base64';
  readonly algorithm?: 'sha256' | 'sha512';
}

/**
 * Returns a `verify` for senders that sign the body with an HMAC: GitHub with `{ header: 'x-hub-signature-256', prefix: 'sha256=' }`,
 * Shopify with `{ header: 'x-shopify-hmac-sha256', encoding: 'base64' }`. Hexadecimal and SHA-256 by default.
 * @throws RangeError for an empty secret, with which everyone could sign.
 */
export function verifyHmac({
  secret,
  header,
  prefix = '',
  encoding = 'hex',
  algorithm = 'sha256',
}: VerifyHmacOptions): (request: WebhookRequest) => boolean {
  if (typeof secret !== 'string' || secret === '') {
    throw new RangeError('verifyHmac: secret is empty. Set the variable that it comes from, e.g. with berth env set.');
  }
  return ({ body, headers }) => {
    const expected = Buffer.from(prefix + createHmac(algorithm, secret).update(body).digest(encoding));
    const given = Buffer.from(headers.get(header) ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}
