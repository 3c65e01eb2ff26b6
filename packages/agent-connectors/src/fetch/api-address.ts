import { createError } from '@berth/contract';

/** Starts an address of its own instead of lying below the base: `//host`, `\host`, `http://host`, `user@host`. */
const FOREIGN = /^(?:[/\\@]|[a-z][a-z\d+.-]*:[/\\])/i;

/**
 * The address of a path below an API's base. The path is judged decoded and kept as it was sent: an encoded slash stays one.
 * A first segment may not begin with `@`; `%40` is that too.
 * @param base ends in `/`, without query.
 * @param rawPath as in the request's line, without a slash in front.
 * @param rawQuery what comes after its `?`; undefined for none.
 * @throws `bad_request` when it would leave the base, or is not the percent-encoding of a text.
 */
export function apiAddress(base: string, rawPath: string, rawQuery?: string): URL {
  const path = decode(rawPath);
  // `..;x` is `..` to servers that know parameters of segments.
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
    createError('bad_request', 'The path is not the percent-encoding of a UTF-8 text without control characters.');
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
  return createError(
    'bad_request',
    "The path has to lie below the API's base address: write it without dots and host.",
  );
}
