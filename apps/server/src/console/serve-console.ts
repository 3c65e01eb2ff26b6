import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BuiltPage, PageFile } from './read-built-page.ts';

/** Answers what is the console's; false when it is for somebody else, with nothing done. */
export type ServeConsole = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface ServeConsoleOptions {
  readonly page: BuiltPage;
  /** Sources for `connect-src` besides the console's own address: where signed URLs lead. */
  readonly connectSources: readonly string[];
}

/** What the API and the identity provider answer, also where they have no such route. */
const NOT_THE_CONSOLE = /^\/(?:v1|oauth2|\.well-known|assets|openapi\.json|healthz|readyz)(?:\/|$)/;

/**
 * Serves the console's files, and its one page to every address that a browser is sent to and that is not the API's. All else,
 * also from programs that ask for no HTML, is left to the API.
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

/** Scripts and styles from files of the console alone: neither inline ones nor anybody else's. Source: security.md 9. */
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
