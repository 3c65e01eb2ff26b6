import { randomBytes } from 'node:crypto';
import { escapeXml } from '../metadata/escape-xml.ts';

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
}

/** A page that is one document, with its script and style in it. */
export interface InlinePageOptions extends PageOptions {
  readonly script: string;
  readonly style: string;
}

/** A page that a bundler made. */
export interface BuiltPageOptions extends PageOptions {
  /** The document as the bundler wrote it. */
  readonly document: string;
}

/**
 * The document of a built page with what the agent is in its head. Its own scripts and styles, and what those load, run under
 * a nonce of this answer's own, and nothing else does; no text may become markup (Trusted Types).
 */
export function builtPageHtml(options: BuiltPageOptions): PageHtml {
  const nonce = randomBytes(16).toString('base64');
  const document = options.document
    .replace(/<title>[^<]*<\/title>/i, '')
    .replaceAll(/<(script|style|link)(?=[\s>])/gi, `<$1 nonce="${nonce}"`);
  // By a function: a title may hold what `replace` takes for a pattern.
  const html = document.replace(/<head>/i, (head) => `${head}\n${headOf(options, nonce)}`);
  return { html, contentSecurityPolicy: policy(nonce, options.signInOrigins, " 'strict-dynamic'") };
}

/**
 * The one HTML document of the agent: script and style are in it, under a nonce of this answer's own, so that nothing else
 * runs, whatever a message holds. Nothing is loaded from elsewhere, and no text may become markup (Trusted Types).
 */
export function pageHtml(options: InlinePageOptions): PageHtml {
  const { script, style, signInOrigins } = options;
  const nonce = randomBytes(16).toString('base64');
  const html = `<!doctype html>
<html lang="en">
<head>
${headOf(options, nonce)}
<style nonce="${nonce}">${style}</style>
</head>
<body>
${NO_SCRIPT}
<script nonce="${nonce}">${escapeScript(script)}</script>
</body>
</html>
`;
  return { html, contentSecurityPolicy: policy(nonce, signInOrigins) };
}

const NO_SCRIPT = '<noscript>This page needs JavaScript. The agent itself does not: see /llms.txt.</noscript>';

function headOf(options: PageOptions, nonce: string): string {
  const { title, description, config, image, isUnlisted } = options;
  return [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">',
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

function policy(nonce: string, signInOrigins: readonly string[], scripts = ''): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'${scripts}`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    ['connect-src', "'self'", ...signInOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
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

/** What would end the element, or begin a comment in it, is written as the same text of a string or an expression. */
function escapeScript(script: string): string {
  return script.replaceAll(/<(?=\/script|script|!--)/gi, '\\x3c');
}
