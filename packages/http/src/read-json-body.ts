import { createError, createValidationError } from '@berth/contract';
import type { AnyMiddleware } from './http-env.ts';
import { readBody } from './read-body.ts';

const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Returns middleware that reads the JSON body of a request before its schema is checked. Another Content-Type is 415; a
 * body over `limitBytes` is 413 as soon as the limit is passed; a missing body, or text that is not JSON, is 422.
 */
export function readJsonBody(limitBytes: number): AnyMiddleware {
  return async (c, next) => {
    const bytes = await readBody(c, limitBytes);
    const contentType = c.req.header('content-type');
    if (contentType === undefined ? bytes.length > 0 : !JSON_MEDIA_TYPE.test(contentType)) {
      throw createError('unsupported_media_type', 'Send the body as Content-Type: application/json, in UTF-8.');
    }
    if (c.req.header('content-encoding') !== undefined) {
      throw createError('unsupported_media_type', 'Content-Encoding is not supported. Send the body without it.');
    }
    if (bytes.length === 0) throw bodyError('Field required', 'missing');
    const text = parse(bytes);
    // Hono caches a body here, as a promise whatever its type says; the validators use it.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    await next();
  };
}

function parse(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch (error) {
    throw bodyError(`not valid JSON: ${error instanceof Error ? error.message : error}`, 'json_invalid');
  }
}

function bodyError(msg: string, type: string): Error {
  return createValidationError([{ loc: ['body'], msg, type }]);
}
