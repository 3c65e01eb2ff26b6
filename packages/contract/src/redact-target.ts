/** Names of query fields that hold a secret, in lower case and reduced to letters and digits. */
const SECRET_NAMES = new Set(
  (
    'apikey auth authcode authorization code codeverifier devicecode hmac idtokenhint jwt key otp pass passwd password pwd ' +
    'samlresponse session sessionid sid sig ticket usercode'
  ).split(' '),
);

/** Endings of names of such fields, e.g. `access_token`, `client_secret` and `X-Amz-Signature`. */
const SECRET_ENDINGS = 'accesskey apikey assertion credential password secret signature token'.split(' ');

/**
 * First segments of an agent's routes for shares: `/shared/{user}/{token}`, `/share/{user}/{token}/…` and `/share/{token}`.
 */
const SHARE_ROUTES = new Set(['share', 'shared']);

/** Segments that follow `/share/{user}/{token}`. One of them in the token's place means that the user is missing. */
const SHARE_VIEWS = new Set(['data', 'file', 'fork']);

const NOWHERE = new Set(['', '.', '..']);

/** The replacement for a secret. */
const REDACTED = 'REDACTED';

/** The maximum number of percent-decoding rounds: redirects and proxies may encode a name more than once. */
const DECODINGS = 4;

/**
 * Returns a request target (path and query) for logs, with the secrets of query fields and the tokens of shares redacted.
 * Encoding makes no difference: names are compared decoded, and a value that contains such a URL is redacted as a whole. A
 * target without secrets is returned unchanged. Takes time linear in its length.
 */
export function redactTarget(target: string): string {
  const end = target.indexOf('?');
  if (end < 0) return redactPath(target);
  return `${redactPath(target.slice(0, end))}?${redactFields(target.slice(end + 1))}`;
}

function redactPath(path: string): string {
  const once = redactSegments(path);
  if (!path.includes('%')) return once;
  // Servers split a path before or after decoding. An encoded slash in the user must not hide the token.
  const plain = decode(once);
  const redacted = redactSegments(plain);
  return redacted === plain ? once : encodeURI(redacted.toWellFormed());
}

function redactSegments(path: string): string {
  if (!path.includes('%') && !/shared?\/|=/i.test(path)) return path;
  const segments = path.split('/').map((segment) => (segment.includes('=') ? redactFields(segment) : segment));
  redactShares(segments);
  return segments.join('/');
}

/** Redacts share tokens in the segments of a path. Skips empty and dot segments, as in `//share/.`. */
function redactShares(segments: string[]): void {
  const names = segments.map(decode);
  const places = [...names.keys()].filter((index) => !NOWHERE.has(names[index]!));
  for (const [at, index] of places.entries()) {
    if (!SHARE_ROUTES.has(names[index]!.toLowerCase())) continue;
    const [first, second] = places.slice(at + 1, at + 3);
    if (first === undefined) continue;
    const isUserMissing = second === undefined || SHARE_VIEWS.has(names[second]!);
    segments[isUserMissing ? first : second] = REDACTED;
  }
}

function redactFields(query: string): string {
  return query.replace(/[^&;#]+/g, (field) => {
    const at = field.indexOf('=');
    if (at >= 0 && isSecretName(decode(field.slice(0, at)))) return `${field.slice(0, at)}=${REDACTED}`;
    return holdsSecret(decode(field.slice(at + 1))) ? `${field.slice(0, at + 1)}${REDACTED}` : field;
  });
}

/** Returns true for decoded text that contains a secret field or a share path, e.g. a nested URL. */
function holdsSecret(plain: string): boolean {
  if (plain.includes('=')) {
    for (const part of plain.split(/[?&;#/]/)) {
      const at = part.indexOf('=');
      if (at >= 0 && isSecretName(part.slice(0, at))) return true;
    }
  }
  return /\/shared?\/+[^/]/i.test(plain);
}

/** Returns true for the name of a secret field. @param name decoded; a part up to `?` is ignored */
function isSecretName(name: string): boolean {
  const letters = name
    .slice(name.lastIndexOf('?') + 1)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return SECRET_NAMES.has(letters) || SECRET_ENDINGS.some((ending) => letters.endsWith(ending));
}

/** Removes percent-encoding. Text that isn't valid UTF-8 is decoded byte by byte. */
function decode(text: string): string {
  let plain = text;
  for (let count = 0; count < DECODINGS && plain.includes('%'); count++) {
    const before = plain;
    try {
      plain = decodeURIComponent(plain);
    } catch {
      plain = plain.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
    if (plain === before) break;
  }
  return plain;
}
