import { randomBytes } from 'node:crypto';
import { escapeXml } from '@berth/agent-core';

interface PageOptions {
  readonly title: string;
  readonly description?: string | undefined;
  /** The response of `GET /config`, which becomes `window.__CONFIG__`. */
  readonly config: unknown;
  /** Origins of identity providers that the page may call. */
  readonly signInOrigins: readonly string[];
  /** Absolute URL of the link preview image. */
  readonly image?: string;
  /** True to opt out of search engines. */
  readonly isUnlisted?: boolean;
  /** The document as the bundler wrote it. */
  readonly document: string;
}

/**
 * Returns a bundled document with the agent's metadata in its head, and its Content-Security-Policy. A nonce per response allows only the document's own
 * scripts and styles, and what they load. Trusted Types keep text from becoming markup.
 */
export function pageHtml(options: PageOptions) {
  const nonce = randomBytes(16).toString('base64');
  const document = options.document
    .replace(/<title>[^<]*<\/title>/i, '')
    .replaceAll(/<(script|style|link)(?=[\s>])/gi, `<$1 nonce="${nonce}"`);
  // A replacer function, because a title may contain replacement patterns such as `$&`.
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
    "font-src 'self'",
    "img-src 'self' blob: data:",
    ['connect-src', "'self'", ...signInOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    // The page's own frames have an opaque origin, see `frameHtml`. They can't navigate elsewhere.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Returns JSON that is safe inside a script element: a JavaScript expression without HTML markup. */
function escapeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Returns a frame of a built page: a document that processes untrusted input, e.g. draws diagrams. Its sandbox gives it an
 * opaque origin, also when it is opened directly, so it can't access the page. It runs its own script and loads nothing else.
 */
export function frameHtml(document: string) {
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
