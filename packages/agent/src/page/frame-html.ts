import { randomBytes } from 'node:crypto';
import type { PageHtml } from './page-html.ts';

/**
 * A frame of a built page: a document that works on what nobody vouches for, e.g. draws diagrams. It has no origin, wherever
 * it is opened, so that nothing of the page is within its reach; it runs its own script, and loads nothing else at all.
 */
export function frameHtml(document: string): PageHtml {
  const nonce = randomBytes(16).toString('base64');
  const html = document.replaceAll(/<(script|link)(?=[\s>])/gi, `<$1 nonce="${nonce}"`);
  const contentSecurityPolicy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    // What is drawn carries styles; where nothing can be loaded these are colours and lines.
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}
