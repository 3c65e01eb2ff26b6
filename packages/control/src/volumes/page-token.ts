import { createValidationError, parseObjectPath } from '@berth/contract';

/** A page token holds the last path of the previous page, so it stays valid when objects are added or removed. */
export function toPageToken(path: string): string {
  return Buffer.from(path).toString('base64url');
}

/** @throws `invalid` at `query.page_token` */
export function parsePageToken(token: string): string {
  const path = Buffer.from(token, 'base64url').toString();
  const result = parseObjectPath(path);
  if ('path' in result && toPageToken(path) === token) return path;
  throw createValidationError([
    {
      loc: ['query', 'page_token'],
      msg: 'is not the next_page_token of a page',
      type: 'page_token_invalid',
    },
  ]);
}
