import { createError, type Scope } from '@berth/contract';
import { LOOPBACK_HOSTS } from './loopback-hosts.ts';

/** The scopes that registered clients can ask for: what the tools of the MCP server need, and nothing about keys, people or money. */
export const REGISTERED_SCOPES = ['read', 'deploy', 'volumes', 'logs'] as const satisfies readonly Scope[];

/** A client that registered itself, such as a coding agent. */
export interface RegisteredClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** Prefix of the ids of registered clients. No deployment can have such a name. */
const PREFIX = 'mcp_';
/** A client id is part of URLs. */
const MAX_ID_CHARACTERS = 2_000;
const MAX_REDIRECTS = 10;
const MAX_NAME_CHARACTERS = 80;
/** Schemes of editors that take the answer themselves. Source: the redirect addresses that these programs register. */
const APP_SCHEMES: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'];

/**
 * Returns the id of a client with this registration. The id holds the registration, so that no row is written for callers whom no one
 * knows, and any server can read it. It needs no signature: anyone may register any client, and people are always asked.
 * @throws `invalid` for redirect addresses that no client may have
 */
export function formatClientId({ name, redirectUris }: RegisteredClient, issuer: string): string {
  const wrong = redirectUris.find((uri) => !isAllowed(uri, issuer));
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS || wrong !== undefined) {
    throw createError(
      'invalid',
      `redirect_uris must be 1 to ${MAX_REDIRECTS} addresses: https, http on this machine, or ${APP_SCHEMES.join(', ')}`,
    );
  }
  // Characters that could change how the consent page reads are left out.
  const shown = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MAX_NAME_CHARACTERS);
  const id = PREFIX + Buffer.from(JSON.stringify([shown, ...redirectUris])).toString('base64url');
  if (id.length > MAX_ID_CHARACTERS) throw createError('invalid', 'redirect_uris are too long together');
  return id;
}

/** Returns the registration in a client id; undefined for any other text. */
export function parseClientId(id: string, issuer: string): RegisteredClient | undefined {
  if (!id.startsWith(PREFIX) || id.length > MAX_ID_CHARACTERS) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(id.slice(PREFIX.length), 'base64url').toString());
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return undefined;
    const [name = '', ...redirectUris] = value as string[];
    return formatClientId({ name, redirectUris }, issuer) === id ? { name, redirectUris } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the address to redirect to; undefined when the client didn't register it. The port on this machine may differ (RFC 8252 section 7.3). */
export function findRedirect({ redirectUris }: RegisteredClient, uri: string, issuer: string): URL | undefined {
  if (!isAllowed(uri, issuer)) return undefined;
  const isRegistered = redirectUris.some(
    (one) => one === uri || (isLocal(one) && withoutPort(one) === withoutPort(uri)),
  );
  return isRegistered ? new URL(uri) : undefined;
}

function isAllowed(uri: string, issuer: string): boolean {
  if (!URL.canParse(uri) || uri.includes('#')) return false;
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '' || url.origin === new URL(issuer).origin) return false;
  return url.protocol === 'https:' || isLocal(uri) || APP_SCHEMES.includes(url.protocol);
}

function isLocal(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname);
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}
