import type { AgentSignIn } from '@berth/contract/agent';
import { challengeOf } from './pkce.ts';
import type { Tokens } from './shared-tokens.ts';

/** The provider refused the sign-in; retrying doesn't help. */
export class SignInRefused extends Error {}

/** A sign-in in progress, to be matched with the provider's answer. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  /** Path and query to return to. */
  readonly returnTo: string;
  /** True when the sign-in runs in a popup. */
  readonly isWindow: boolean;
}

/** The agent's identity provider, for a public client. Source: OpenID Connect Core 3.1, Discovery 1.0, RFC 7636, RFC 9207. */
export interface Provider {
  /** Returns the URL of the sign-in. */
  signInUrl(pending: PendingSignIn): Promise<string>;
  /** The tokens of the answer that came back in the page's address. @throws {SignInRefused} */
  redeem(answer: URLSearchParams, pending: PendingSignIn | undefined): Promise<Tokens>;
  /** @throws {SignInRefused} when the refresh token is no longer valid; another error when the provider couldn't be reached */
  renew(refresh: string): Promise<Tokens>;
  /** Returns the URL that signs the person out of the provider; undefined where the provider has none. */
  signOutUrl(idToken: string | undefined): Promise<string | undefined>;
}

interface Discovery {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly end_session_endpoint?: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** Lifetime of a token whose response doesn't name one. */
const DEFAULT_EXPIRES_IN_S = 300;

export function createProvider(config: SignInConfig, redirectUri: string): Provider {
  let discovery: Promise<Discovery> | undefined;
  // RFC 8707, section 2: both requests name the API that the token is for.
  const resource = config.resource === undefined ? {} : { resource: config.resource };
  const discover = () => {
    discovery ??= getJson<Discovery>(`${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    discovery.catch(() => {
      discovery = undefined;
    });
    return discovery;
  };
  const exchange = async (grant: Readonly<Record<string, string>>): Promise<Tokens> => {
    const { token_endpoint } = await discover();
    const body = new URLSearchParams({ ...grant, client_id: config.client_id, ...resource });
    const answer = await getJson<Readonly<Record<string, unknown>>>(token_endpoint, { method: 'POST', body });
    if (typeof answer['access_token'] !== 'string')
      throw new SignInRefused('The sign-in returned no token. Ask the administrator to check the sign-in provider.');
    return {
      access: answer['access_token'],
      expiresAtMs: Date.now() + Number(answer['expires_in'] ?? DEFAULT_EXPIRES_IN_S) * 1000,
      ...(typeof answer['refresh_token'] === 'string' && { refresh: answer['refresh_token'] }),
      ...(typeof answer['id_token'] === 'string' && { id: answer['id_token'] }),
    };
  };
  return {
    async signInUrl({ state, verifier }) {
      const { authorization_endpoint } = await discover();
      return withQuery(authorization_endpoint, {
        ...config.parameters,
        ...resource,
        response_type: 'code',
        client_id: config.client_id,
        redirect_uri: redirectUri,
        scope: config.scope,
        state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
      });
    },
    async redeem(answer, pending) {
      const issuer = answer.get('iss');
      const mustName = (await discover()).authorization_response_iss_parameter_supported === true;
      const isFromIt = issuer === null ? !mustName : isSame(issuer, config.issuer);
      if (!pending || answer.get('state') !== pending.state || !isFromIt) {
        throw new SignInRefused('This sign-in was not started in this browser. Sign in again.');
      }
      const code = answer.get('code');
      if (code === null) throw new SignInRefused('The sign-in was not completed. Try again.');
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
      return await exchange({ ...grant, code_verifier: pending.verifier });
    },
    renew: (refresh) => exchange({ grant_type: 'refresh_token', refresh_token: refresh }),
    async signOutUrl(idToken) {
      const { end_session_endpoint } = await discover();
      if (end_session_endpoint === undefined) return undefined;
      return withQuery(end_session_endpoint, {
        client_id: config.client_id,
        post_logout_redirect_uri: redirectUri,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      });
    },
  };
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new SignInRefused("The sign-in provider's address isn't an http or https URL.");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function isSame(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

async function getJson<Value>(url: string, init?: RequestInit): Promise<Value> {
  const response = await fetch(url, { ...init, credentials: 'omit' });
  if (response.ok) return (await response.json()) as Value;
  const message = `The sign-in answered with status ${response.status}.`;
  // Other statuses are temporary: the provider restarts, or limits the rate.
  if (response.status === 400 || response.status === 401 || response.status === 403) throw new SignInRefused(message);
  throw new Error(message);
}

/** A public client of an OpenID provider: `sign_in` of `GET /config`. Source: docs/contract/agent-api.md §3. */
export type SignInConfig = Exclude<AgentSignIn, { readonly token: string }>;
