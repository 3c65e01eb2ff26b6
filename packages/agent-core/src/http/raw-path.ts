import type { IncomingMessage } from 'node:http';
import { createError, createValidationError } from '@berth/contract';
import type { AnyContext, AnyMiddleware } from '@berth/http';

const FILE_NAME = /^\/files(-batch)?\//;
const LINE_BREAK = /%0[a-d]|%c2%85|%e2%80%a[89]/i;

const API_CALL = /^\/connectors\/[^/]+\/fetch\//;

/** Returns the path as the client sent it: not decoded, and with its `..` segments, which a URL would resolve. */
export function rawPath(c: AnyContext): string {
  const { incoming } = (c.env ?? {}) as { readonly incoming?: IncomingMessage };
  const url = incoming?.url;
  // The absolute form of proxies, `GET http://host/path`, can only be parsed as a URL.
  if (url === undefined || !url.startsWith('/')) return new URL(c.req.url).pathname;
  return url.split(/[?#]/, 1)[0] as string;
}

/**
 * Returns the part of the path after `prefix`, decoded once.
 * @throws `invalid` when it is not the percent-encoding of UTF-8.
 */
export function pathAfter(c: AnyContext, prefix: string): string {
  try {
    return decodeURIComponent(rawPath(c).slice(prefix.length));
  } catch {
    const msg = 'the path is not valid percent-encoded UTF-8';
    throw createValidationError([{ loc: ['path', 'path'], msg, type: 'invalid_path' }]);
  }
}

/**
 * Refuses paths with `..` segments, in any spelling that a URL resolves: they would reach another route than they name. Refuses names
 * of files with line breaks.
 * Source: docs/contract/agent-api.md §1, "Paths".
 */
export function refuseClimbs(): AnyMiddleware {
  return async (c, next) => {
    const climbs = rawPath(c)
      .split(/[/\\]/)
      .some((part) => part.replaceAll(/%2e/gi, '.') === '..');
    // A path that leaves an API's base is a bad request, wherever it leads. Source: docs/contract/agent-api.md §8.
    const code = API_CALL.test(rawPath(c)) ? 'bad_request' : 'forbidden';
    if (climbs) throw createError(code, 'The path leaves its root.');
    // A pattern of a route ends at a line break, so such a path would be no route.
    if (FILE_NAME.test(rawPath(c)) && LINE_BREAK.test(rawPath(c))) {
      throw createValidationError([{ loc: ['path', 'path'], msg: 'the path has a line break', type: 'invalid_path' }]);
    }
    await next();
  };
}
