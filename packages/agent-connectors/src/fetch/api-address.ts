import { createError } from '@berth/contract';

/**
 * Matches a path that is an address of its own rather than one below the base: `//host`, `\host`, `http://host`,
 * `user@host`.
 */
const FOREIGN = /^(?:[/\\@]|[a-z][a-z\d+.-]*:[/\\])/i;

/**
 * Returns the URL of a path below an API's base. The path is checked decoded and forwarded as it was sent: an encoded
 * slash stays encoded. The first segment may not begin with `@` or `%40`.
 * @param base ends in `/`, without query.
 * @param rawPath as in the request line, without a leading slash.
 * @param rawQuery the text after the request's `?`; undefined for none.
 * @throws `bad_request` when the path would leave the base, or isn't valid percent-encoding of a text.
 */
export function apiAddress(base: string, rawPath: string, rawQuery?: string): URL {
  const path = decode(rawPath);
  // Servers that support path parameters read `..;x` as `..`.
  const climbs = path.split(/[/\\]/).some((segment) => ['.', '..'].includes(segment.split(';', 1)[0] as string));
  if (climbs || rawPath.includes('\\') || FOREIGN.test(rawPath) || /^[/\\]/.test(path)) throw leaves();
  const root = new URL(base);
  const url = URL.parse(root.href + rawPath + (rawQuery === undefined ? '' : `?${rawQuery}`));
  if (url?.origin !== root.origin || !url.pathname.startsWith(root.pathname)) throw leaves();
  url.hash = '';
  return url;
}

function decode(rawPath: string): string {
  const wrong = () =>
    createError('bad_request', 'The path is not valid percent-encoded UTF-8 without control characters.');
  try {
    const path = decodeURIComponent(rawPath);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\x00-\x1f\x7f]/.test(path)) throw wrong();
    return path;
  } catch {
    throw wrong();
  }
}

function leaves() {
  return createError('bad_request', "The path must be below the API's base URL, without a host and dot segments.");
}
