import { createHash } from 'node:crypto';
import { type AgentAppContext, escapeXml } from '@berth/agent-core';

/** What the page tells, by `postMessage` and on the channel `berth-connectors`; both of the agent's own origin only. */
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

/** Nothing runs but the one script, nothing is loaded, and nobody may frame it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${hashSource(SCRIPT)}`,
  `style-src ${hashSource(STYLE)}`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export interface CallbackPage {
  readonly connector: string;
  readonly heading: string;
  readonly text: string;
  /** Told to the opener; undefined while it is not decided. */
  readonly isConnected?: boolean;
  /** Sent back by a button, with the address as it is. */
  readonly confirmation?: string;
}

/** The page that a provider sends people back to. It leaves its opener as it is: a policy of its own would cut the tie. */
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
