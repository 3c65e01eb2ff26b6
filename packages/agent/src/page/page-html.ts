import { randomBytes } from 'node:crypto';
import { escapeXml } from '@berth/agent-core';

/** A page of the agent's, ready to be sent. */
export interface PageHtml {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

export interface PageOptions {
  readonly title: string;
  readonly description?: string | undefined;
  /** `GET /config`: becomes `window.__CONFIG__`. */
  readonly config: unknown;
  /** Origins of a sign-in that the page calls. */
  readonly signInOrigins: readonly string[];
  /** Absolute address of the picture that previews show. */
  readonly image?: string;
  /** Keeps search engines out. */
  readonly isUnlisted?: boolean;
  /** The document as the bundler wrote it. */
  readonly document: string;
}

/**
 * The document of a page that a bundler made, with what the agent is in its head. Its own scripts and styles, and what those
 * load, run under a nonce of this answer's own, and nothing else does; no text may become markup (Trusted Types).
 */
export function pageHtml(options: PageOptions): PageHtml {
  const nonce = randomBytes(16).toString('base64');
  const document = options.document
    .replace(/<title>[^<]*<\/title>/i, '')
    .replaceAll(/<(script|style|link)(?=[\s>])/gi, `<$1 nonce="${nonce}"`);
  // By a function: a title may hold what `replace` takes for a pattern.
  const html = document.replace(/<head>/i, (head) => `${head}\n${headOf(options, nonce)}`);
  return { html, contentSecurityPolicy: policy(nonce, options.signInOrigins) };
}

function headOf(options: PageOptions, nonce: string): string {
  const { title, description, config, image, isUnlisted } = options;
  return [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">',
    `<title>${escapeXml(title)}</title>`,
    ...(description ? [`<meta name="description" content="${escapeXml(description)}">`] : []),
    ...(isUnlisted ? ['<meta name="robots" content="noindex">'] : []),
    `<meta property="og:title" content="${escapeXml(title)}">`,
    ...(description ? [`<meta property="og:description" content="${escapeXml(description)}">`] : []),
    ...(image ? [`<meta property="og:image" content="${escapeXml(image)}">`] : []),
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    `<script nonce="${nonce}">window.__CONFIG__ = ${escapeJson(config)};</script>`,
  ].join('\n');
}

function policy(nonce: string, signInOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    ['connect-src', "'self'", ...signInOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    // Its own frames, which are no part of its origin: see frame-html.ts. A frame can't be led anywhere else.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** JSON that is a JavaScript expression and holds nothing that an HTML parser reads. */
function escapeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
