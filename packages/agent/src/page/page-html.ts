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
  readonly script: string;
  readonly style: string;
  /** Origins of a sign-in that the page calls. */
  readonly signInOrigins: readonly string[];
  /** Absolute address of the picture that previews show. */
  readonly image?: string;
  /** Keeps search engines out. */
  readonly isUnlisted?: boolean;
}

/**
 * The one HTML document of the agent: script and style are in it, under a nonce of this answer's own, so that nothing else
 * runs, whatever a message holds. Nothing is loaded from elsewhere, and no text may become markup (Trusted Types).
 */
export function pageHtml(options: PageOptions): PageHtml {
  const { title, description, config, script, style, signInOrigins, image, isUnlisted } = options;
  const nonce = randomBytes(16).toString('base64');
  const meta = [
    ...(description ? [`<meta name="description" content="${escapeXml(description)}">`] : []),
    ...(isUnlisted ? ['<meta name="robots" content="noindex">'] : []),
    `<meta property="og:title" content="${escapeXml(title)}">`,
    ...(description ? [`<meta property="og:description" content="${escapeXml(description)}">`] : []),
    ...(image ? [`<meta property="og:image" content="${escapeXml(image)}">`] : []),
  ];
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<title>${escapeXml(title)}</title>
${meta.join('\n')}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<noscript>This page needs JavaScript. The agent itself does not: see /llms.txt.</noscript>
<script nonce="${nonce}">window.__CONFIG__ = ${escapeJson(config)};</script>
<script nonce="${nonce}">${escapeScript(script)}</script>
</body>
</html>
`;
  return { html, contentSecurityPolicy: policy(nonce, signInOrigins) };
}

function policy(nonce: string, signInOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
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
