import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuiltPage, PageFile } from './read-built-page.ts';

/** Serves a request of the console; returns false, having done nothing, for any other request. */
export type ServeConsole = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Options of {@link createServeConsole}. */
export interface ServeConsoleOptions {
  readonly page: BuiltPage;
  /** Sources for `connect-src` besides the console's own origin: the origins of signed URLs. */
  readonly connectSources: readonly string[];
}

/** Paths of the API and the identity provider, whether or not such a route exists. */
const NOT_THE_CONSOLE = /^\/(?:v1|oauth2|\.well-known|assets|docs|llms\.txt|openapi\.json|healthz|readyz)(?:\/|$)/;

/**
 * Creates the handler of the console. It serves the console's files, and its page for every other path that a browser navigates to,
 * except the API's. Requests that don't accept HTML are left to the API.
 */
export function createServeConsole({ page, connectSources }: ServeConsoleOptions): ServeConsole {
  const index = page.get('/index.html') as PageFile;
  const policy = contentSecurityPolicy(connectSources);
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const path = request.url?.split('?', 1)[0] ?? '/';
    const file = path === '/' || isNavigation(request, path) ? index : page.get(path);
    if (file === undefined) return false;
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('ETag', file.etag);
    response.setHeader('Vary', 'Accept-Encoding');
    sendFile(request, response, file);
    return true;
  };
}

function isNavigation({ headers }: IncomingMessage, path: string): boolean {
  return headers.accept?.includes('text/html') === true && !NOT_THE_CONSOLE.test(path);
}

function sendFile({ headers, method }: IncomingMessage, response: ServerResponse, file: PageFile): void {
  if (headers['if-none-match']?.includes(file.etag)) {
    response.writeHead(304).end();
    return;
  }
  const wantsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
  const body = wantsGzip && file.gzipped ? file.gzipped : file.bytes;
  if (body === file.gzipped) response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('Content-Length', body.length);
  response.writeHead(200, { 'Content-Type': file.type });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Allows scripts and styles from the console's own files only, none inline. */
function contentSecurityPolicy(connectSources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    ['connect-src', "'self'", ...connectSources].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
