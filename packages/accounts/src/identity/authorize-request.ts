import type { IdentityClient, IdentityClients } from './identity-clients.ts';
import { REGISTERED_SCOPES } from './registered-client.ts';

/** A validated authorization request. */
export interface AuthorizeRequest {
  readonly client: IdentityClient;
  /** As it was sent. */
  readonly redirectUri: string;
  /** Where the answer goes, with the `state` on it. */
  readonly redirectTo: URL;
  /** The supported scopes among those requested, separated by spaces. */
  readonly scope: string;
  readonly nonce: string | null;
  readonly codeChallenge: string;
  readonly prompt: ReadonlySet<string>;
  /** A person who signed in longer ago must sign in again; undefined: no limit. */
  readonly maxAgeSeconds: number | undefined;
}

/** The outcome of reading a request. */
export type AuthorizeOutcome =
  | { readonly kind: 'good'; readonly request: AuthorizeRequest }
  /** The client or its redirect address is unknown: the person sees the problem and is not redirected. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** The client gets the error by a redirect (RFC 6749 section 4.1.2.1). */
  | { readonly kind: 'answered'; readonly redirectTo: URL; readonly error: string; readonly description: string };

export const IDENTITY_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'select_account'];

/** Validates an authorization request. Source: RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core 1.0 section 3.1.2.1. */
export async function readAuthorizeRequest(
  query: URLSearchParams,
  clients: IdentityClients,
): Promise<AuthorizeOutcome> {
  const one = (name: string) => (query.getAll(name).length === 1 ? (query.get(name) ?? '') : undefined);
  const client = await clients.find(one('client_id') ?? '');
  if (!client) return { kind: 'refused', problem: 'No agent of this platform has this client_id.' };
  const redirectUri = one('redirect_uri') ?? '';
  const redirectTo = client.redirectTo(redirectUri);
  if (!redirectTo) {
    return { kind: 'refused', problem: `The redirect_uri is not a URL of ${client.title}.` };
  }
  const state = one('state');
  if (state !== undefined) redirectTo.searchParams.set('state', state);

  const answered = (error: string, description: string) =>
    ({ kind: 'answered', redirectTo, error, description }) as const;
  const repeated = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return answered('invalid_request', `${repeated} was sent more than once`);
  if (query.has('request')) return answered('request_not_supported', 'send the parameters directly');
  if (query.has('request_uri')) return answered('request_uri_not_supported', 'send the parameters directly');
  if (one('response_type') !== 'code') return answered('unsupported_response_type', 'response_type must be code');
  if ((one('response_mode') ?? 'query') !== 'query') return answered('invalid_request', 'response_mode must be query');
  const codeChallenge = one('code_challenge') ?? '';
  if (one('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(codeChallenge)) {
    return answered('invalid_request', 'code_challenge is required, with code_challenge_method S256');
  }
  const prompt = new Set((one('prompt') ?? '').split(' ').filter((word) => word !== ''));
  if ([...prompt].some((word) => !PROMPTS.includes(word)) || (prompt.has('none') && prompt.size > 1)) {
    return answered('invalid_request', `prompt must be none, or a list of ${PROMPTS.slice(1).join(', ')}`);
  }
  const maxAge = one('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
    return answered('invalid_request', 'max_age must be a number of seconds');
  const resource = one('resource');
  if (client.resource !== undefined && resource !== undefined && resource !== client.resource) {
    return answered('invalid_target', `resource must be ${client.resource}`);
  }
  const asked = (one('scope') ?? '').split(' ');
  return {
    kind: 'good',
    request: {
      client,
      redirectUri,
      redirectTo,
      codeChallenge,
      prompt,
      scope: findScopes(client, asked).join(' '),
      nonce: one('nonce') ?? null,
      maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    },
  };
}

/** Returns the requested scopes that the client can have. A registered client that asks for none gets `read`. */
function findScopes({ resource }: IdentityClient, asked: readonly string[]): readonly string[] {
  if (resource === undefined) return IDENTITY_SCOPES.filter((scope) => asked.includes(scope));
  const scopes = REGISTERED_SCOPES.filter((scope) => asked.includes(scope));
  return scopes.length > 0 ? scopes : ['read'];
}
