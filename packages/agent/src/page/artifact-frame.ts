/** The document of the packed page that runs artifacts: pages and components that an agent wrote. */
export const ARTIFACT_FRAME = '/_page/artifact.html';

/** Options for the artifacts that people open beside a chat. */
export interface ArtifactOptions {
  /**
   * Origins that artifacts may contact, e.g. `['https://api.example.com']`; none by default. Scripts, styles, images, fonts,
   * media and data may come from them and be sent to them.
   */
  readonly network?: readonly string[];
}

/** Checks the options of artifacts. @throws the error of `wrong`, naming the origin at fault */
export function checkArtifactOptions(options: ArtifactOptions | undefined, wrong: (what: string) => Error): void {
  const { network = [] } = options ?? {};
  if (!Array.isArray(network)) throw wrong("artifacts.network is a list of origins: ['https://api.example.com']");
  const fault = network.find((origin) => !isOrigin(origin));
  if (fault === undefined) return;
  throw wrong(`artifacts.network: "${fault}" is not an origin. Use https and no path: 'https://api.example.com'`);
}

/** Hosts of this machine, which pages in development reach without TLS. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || text.includes('*') || !URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return text === origin && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname)));
}

/**
 * Returns the response headers of the document that runs artifacts. They are the sandbox: an opaque origin, and no network
 * but the given origins. The page's own `frame-src` keeps the frame from navigating elsewhere.
 */
export function artifactFrameHeaders(network: readonly string[]): Readonly<Record<string, string>> {
  const hosts = network.map((origin) => ` ${origin}`).join('');
  return {
    'Content-Security-Policy': [
      'sandbox allow-scripts',
      "default-src 'none'",
      // The code of an artifact is untrusted as a whole, so inline scripts and `eval` give it nothing more. 'self' is the frame's script.
      `script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:${hosts}`,
      `style-src 'unsafe-inline'${hosts}`,
      `img-src blob: data:${hosts}`,
      `font-src blob: data:${hosts}`,
      `media-src blob: data:${hosts}`,
      network.length === 0 ? "connect-src 'none'" : `connect-src${hosts}`,
      'worker-src blob:',
      "frame-src 'none'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    // Covers WebRTC, preconnect and DNS prefetch too, which no policy of content does. Source: WICG connection-allowlists; Chrome 152.
    'Connection-Allowlist': `(${['response-origin', ...network.map((origin) => JSON.stringify(origin))].join(' ')})`,
    // A process of its own, so that an endless loop doesn't hold up the page that could end it. Source: WICG document-isolation-policy; Chrome 137.
    'Document-Isolation-Policy': 'isolate-and-credentialless',
    'X-DNS-Prefetch-Control': 'off',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
