import type { GrantScope } from '@berth/contract/agent';
import type { Connector, KeyPlace } from '../connector/connector.ts';
import type { Grant, HeldCredential } from '../connector/grants.ts';

/** Replacement for a secret in a text. */
const HIDDEN = '[hidden]';
/** Shorter texts could match by accident. */
const MIN_HIDDEN = 8;

/** Returns the grant for a stored credential. */
export function grantOf(held: HeldCredential, connector: Connector, scope: GrantScope): Grant {
  const { credential, owner, version } = held;
  const endpoint = credential.type === 'key' ? credential.endpoint : undefined;
  const secret = credential.type === 'key' ? credential.key : credential.accessToken;
  const place: KeyPlace =
    connector.auth.type === 'key' ? connector.auth.place : { in: 'header', name: 'Authorization', scheme: 'Bearer' };
  const secrets = spellingsOf(secret);
  return {
    scope,
    owner,
    version,
    ...(endpoint !== undefined && { endpoint }),
    authorize(url, headers) {
      refuseStrange(url, connector, endpoint);
      if (place.in === 'query') url.searchParams.set(place.name, secret);
      else headers.set(place.name, place.scheme === undefined ? secret : `${place.scheme} ${secret}`);
    },
    secrets,
    scrub: (text) => secrets.reduce((scrubbed, spelling) => scrubbed.replaceAll(spelling, HIDDEN), text),
  };
}

/** Returns the grant of a connector without authentication: it attaches nothing. */
export function openGrant(connector: Connector, owner: HeldCredential['owner']): Grant {
  return {
    scope: 'user',
    owner,
    version: 'open',
    secrets: [],
    authorize: (url) => refuseStrange(url, connector, undefined),
    scrub: (text) => text,
  };
}

function refuseStrange(url: URL, { name, server, api }: Connector, endpoint: string | undefined): void {
  // When the user gave an address, the credential isn't for the owner's addresses.
  const own = endpoint === undefined ? [server?.url, api?.baseUrl] : [endpoint];
  if (!own.some((address) => address !== undefined && new URL(address).origin === url.origin)) {
    throw new Error(`The credential of ${name} is not for ${url.origin}.`);
  }
}

/** See {@link Grant.secrets}. */
function spellingsOf(secret: string): readonly string[] {
  const spellings = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ k: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ];
  return [...new Set(spellings)].filter((one) => one.length >= MIN_HIDDEN).sort((a, b) => b.length - a.length);
}
