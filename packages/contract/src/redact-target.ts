/** Query fields with these names carry a secret. Names are compared in lower case, letters and digits only. */
const SECRET_NAMES = new Set(
  (
    'apikey auth authcode authorization code codeverifier devicecode hmac idtokenhint jwt key otp pass passwd password pwd ' +
    'samlresponse session sessionid sid sig ticket usercode'
  ).split(' '),
);

/** So do fields whose names end like this, such as `access_token`, `client_secret` and `X-Amz-Signature`. */
const SECRET_ENDINGS = 'accesskey apikey assertion credential password secret signature token'.split(' ');

/** First segments of an agent's routes for shares: `/shared/{user}/{token}`, `/share/{user}/{token}/…` and `/share/{token}`. */
const SHARE_ROUTES = new Set(['share', 'shared']);

/** What follows `/share/{user}/{token}`; in the token's place it says that the user was left out. */
const SHARE_VIEWS = new Set(['data', 'file', 'fork']);

const NOWHERE = new Set(['', '.', '..']);

/** What stands in a log in place of a secret. */
const REDACTED = 'REDACTED';

/** Percent-encoding is taken off this often: a redirect or a proxy may have encoded a name more than once. */
const DECODINGS = 4;

/**
 * A request target (path and query) as logs may show it: without the values of query fields that carry secrets, and without the
 * tokens of shares. Spelling does not matter: names are compared decoded, and a value that holds such a URL itself is redacted as a
 * whole. A target without secrets is returned as it is. Takes time linear in its length.
 */
export function redactTarget(target: string): string {
  const end = target.indexOf('?');
  if (end < 0) return redactPath(target);
  return `${redactPath(target.slice(0, end))}?${redactFields(target.slice(end + 1))}`;
}

function redactPath(path: string): string {
  const once = redactSegments(path);
  if (!path.includes('%')) return once;
  // Servers split a path before they decode it, or after: a user with a slash in it must not move the token.
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

/** Replaces tokens in the segments of a path. Segments that lead nowhere, as in `//share/.`, are passed over. */
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

/** True for decoded text with a field or a path in it that has a secret: a URL in the field of another one. */
function holdsSecret(plain: string): boolean {
  if (plain.includes('=')) {
    for (const part of plain.split(/[?&;#/]/)) {
      const at = part.indexOf('=');
      if (at >= 0 && isSecretName(part.slice(0, at))) return true;
    }
  }
  return /\/shared?\/+[^/]/i.test(plain);
}

/** @param name decoded; only what follows a `?` in it is the name of a field. */
function isSecretName(name: string): boolean {
  const letters = name
    .slice(name.lastIndexOf('?') + 1)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return SECRET_NAMES.has(letters) || SECRET_ENDINGS.some((ending) => letters.endsWith(ending));
}

/** Without percent-encoding; what can't be decoded as UTF-8 is decoded byte by byte. */
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
