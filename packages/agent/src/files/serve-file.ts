import { Readable } from 'node:stream';
import { mediaType, type OpenFile } from '@berth/agent-core';
import { type OfficeFiles, officeFormat, type ShowOptions } from '@berth/agent-render';
import { createError } from '@berth/contract';
import { type AnyContext, type ByteRange, evaluateConditions, isRangeWanted, parseRanges } from '@berth/http';

interface ServeFileOptions {
  /** True to send it as an attachment. */
  readonly isDownload?: boolean;
  /** True to show it even if it could hold a script. */
  readonly isPreview?: boolean;
  /** True for the agent owner's own files, which may run scripts. */
  readonly isTrusted?: boolean;
  /** Added to the others, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
}

const TRUSTED_HEADERS = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' } as const;

/** Headers that keep people's files from running or loading anything. Source: docs/contract/agent-api.md §1, "File responses". */
const FILE_HEADERS = {
  ...TRUSTED_HEADERS,
  'Content-Security-Policy': "sandbox; default-src 'none'",
} as const;

/** Types that browsers run scripts of. */
const ACTIVE = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml|(text|application)\/xml|.*\+xml)\b/;

/**
 * Answers a GET or HEAD with an open file or a range of it; the file is closed when the response ends.
 * @throws `precondition_failed`, `range_not_satisfiable`
 */
export async function serveFile(c: AnyContext, file: OpenFile, options: ServeFileOptions = {}): Promise<Response> {
  let isHandedOver = false;
  try {
    const answer = plan(c, file, options);
    if (answer.body === undefined || c.req.method === 'HEAD') return new Response(null, answer);
    isHandedOver = true;
    return new Response(Readable.toWeb(file.readAndClose(answer.body)) as ReadableStream, answer);
  } finally {
    if (!isHandedOver) await file[Symbol.asyncDispose]();
  }
}

/** Returns the status, the headers, and which bytes of the file are sent, if any. */
function plan(c: AnyContext, file: OpenFile, options: ServeFileOptions) {
  const { isDownload = false, isPreview = false, isTrusted = false, headers = {} } = options;
  const { entry, etag, updatedAtMs } = file;
  const common = {
    ...(isTrusted ? TRUSTED_HEADERS : FILE_HEADERS),
    ...headers,
    ETag: etag,
    'Last-Modified': new Date(updatedAtMs).toUTCString(),
    'Accept-Ranges': 'bytes',
  };
  const condition = evaluateConditions(c.req.header(), { etag, updatedAtMs });
  if (condition === 412) throw createError('precondition_failed', 'The file has changed.');
  if (condition === 304) return { status: 304, headers: common, body: undefined };
  const type = mediaType(entry.name);
  const isAttached = isDownload || (ACTIVE.test(type) && !isPreview && !isTrusted);
  const described = {
    ...common,
    'Content-Type': type,
    'Content-Disposition': contentDisposition(isAttached ? 'attachment' : 'inline', entry.name),
  };
  const range = rangeOf(c, file);
  const { first, last } = range ?? { first: 0, last: entry.size - 1 };
  const sized = { ...described, 'Content-Length': String(last - first + 1) };
  if (!range) return { status: 200, headers: sized, body: { first, last } };
  return { status: 206, headers: { ...sized, 'Content-Range': `bytes ${first}-${last}/${entry.size}` }, body: range };
}

/** Returns the requested range. For several ranges the whole file is sent, which RFC 9110, 14.2, allows. */
function rangeOf(c: AnyContext, { entry, etag, updatedAtMs }: OpenFile): ByteRange | undefined {
  const header = c.req.header('range');
  if (header === undefined || c.req.method !== 'GET') return undefined;
  if (!isRangeWanted(c.req.header('if-range'), { etag, updatedAtMs })) return undefined;
  const ranges = parseRanges(header, entry.size);
  if (ranges?.length === 0) {
    c.header('Content-Range', `bytes */${entry.size}`);
    throw createError('range_not_satisfiable', `The file has ${entry.size} bytes.`);
  }
  return ranges?.length === 1 ? ranges[0] : undefined;
}

/**
 * A `Content-Disposition` with a file's name (RFC 6266): in plain letters for old clients, and whole (RFC 8187) where it has
 * others. Names that could end the header can't.
 */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === name) return `${kind}; filename="${name}"`;
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}

interface ServeShownOptions extends ServeFileOptions, Pick<ShowOptions, 'owner'> {
  readonly office: OfficeFiles;
  /** The format to show the file in; the file itself when undefined. */
  readonly as: ShowOptions['as'] | undefined;
}

/**
 * Returns a response with an open file, as it is or rendered; the file is closed when the response ends.
 * @throws as `serveFile` and `OfficeFiles.show`
 */
export async function serveShown(
  c: AnyContext,
  file: OpenFile,
  { as, owner, office, ...options }: ServeShownOptions,
): Promise<Response> {
  // Browsers show a file that is no office file as it is, or not at all.
  const isAsItIs = as === 'pdf' && officeFormat(file.entry.name) === undefined;
  if (as === undefined || isAsItIs) return serveFile(c, file, options);
  await using source = file;
  return serveFile(c, await office.show(source, { as, owner }), options);
}
