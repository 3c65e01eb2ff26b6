import { randomBytes } from 'node:crypto';
import type { PageHtml } from './page-html.ts';

/**
 * Returns a frame of a built page: a document that processes untrusted input, e.g. draws diagrams. Its sandbox gives it an
 * opaque origin, also when it is opened directly, so it can't access the page. It runs its own script and loads nothing else.
 */
export function frameHtml(document: string): PageHtml {
  const nonce = randomBytes(16).toString('base64');
  const html = document.replaceAll(/<(script|link)(?=[\s>])/gi, `<$1 nonce="${nonce}"`);
  const contentSecurityPolicy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    // Diagrams contain inline styles. They are harmless here, because they can't load anything.
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}
