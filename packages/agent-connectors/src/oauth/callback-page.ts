import { createHash } from 'node:crypto';
import { type AgentAppContext, escapeXml } from '@berth/agent-core';

/**
 * The page's script. It reports the outcome by `postMessage` and on the channel `berth-connectors`, both to the agent's
 * own origin only.
 */
const SCRIPT = `const { connector, connected } = document.body.dataset;
if (connected) {
  const message = { type: 'berth:connector', connector, connected: connected === 'true' };
  opener?.postMessage(message, location.origin);
  // The provider's pages may have cut the tie to the opener.
  new BroadcastChannel('berth-connectors').postMessage(message);
  if (message.connected) setTimeout(() => close(), 100);
}`;
const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}
button{font:inherit;padding:.5rem 1.25rem}`;

/** Allows only the page's own script and style, no other resources, and no framing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${hashSource(SCRIPT)}`,
  `style-src ${hashSource(STYLE)}`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The content of the callback page. */
export interface CallbackPage {
  readonly connector: string;
  readonly heading: string;
  readonly text: string;
  /** Outcome for the opener; undefined while the user has to confirm. */
  readonly isConnected?: boolean;
  /** Value that the confirmation button posts back to the same URL. */
  readonly confirmation?: string;
}

/**
 * Returns the page to which a provider redirects users. It sets no opener policy, which would cut the link to the
 * window that opened it.
 */
export function answerPage(c: AgentAppContext, status: 200 | 400, page: CallbackPage): Response {
  const { connector, heading, text, isConnected, confirmation } = page;
  const told = isConnected === undefined ? '' : ` data-connected="${isConnected}"`;
  const form =
    confirmation === undefined
      ? ''
      : `<form method="post"><input type="hidden" name="confirmation" value="${escapeXml(confirmation)}"><button>Connect</button></form>\n`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeXml(heading)}</title>
<style>${STYLE}</style>
</head>
<body data-connector="${escapeXml(connector)}"${told}>
<h1>${escapeXml(heading)}</h1>
<p>${escapeXml(text)}</p>
${form}<script>${SCRIPT}</script>
</body>
</html>
`;
  return c.html(html, status, {
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  }) as Response;
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
