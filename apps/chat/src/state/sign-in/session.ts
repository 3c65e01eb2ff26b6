import type { SignInConfig } from '../sign-in-config.ts';
import { challengeOf, randomText } from './pkce.ts';

/** Who the person is, as far as the page has to know. */
export interface Session {
  /** A token to send; undefined when nobody signed in. */
  token(): Promise<string | undefined>;
  /** Gets a new token without the person; false when that can't be done and they have to sign in. */
  renew(): Promise<boolean>;
  /** Leaves the page for the provider's, to come back signed in. */
  signIn(): Promise<void>;
  signOut(): Promise<void>;
  readonly isSignedIn: boolean;
}

/** Kept for the tab, so that a reload stays signed in and another site's tab has nothing of it. */
const TOKENS = 'berth-tokens';
const PENDING = 'berth-sign-in';

interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly id?: string;
  readonly expiresAtMs: number;
}

interface Discovery {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly end_session_endpoint?: string;
}

interface Pending {
  readonly state: string;
  readonly verifier: string;
  /** Path and query to come back to. */
  readonly returnTo: string;
}

/** A token is taken for run out so long before it is, for clocks that differ. */
const EARLY_MS = 15_000;

/**
 * Signs in by the authorisation code flow with PKCE. Source: OpenID Connect Core 3.1, RFC 7636, RFC 9207.
 * Takes up a sign-in that the provider sent the person back from.
 * @throws Error when it came back with a no
 */
export async function openSession(config: SignInConfig): Promise<Session> {
  let tokens = read<Tokens>(TOKENS);
  let discovery: Promise<Discovery> | undefined;
  let renewing: Promise<boolean> | undefined;
  const redirectUri = `${location.origin}/`;

  const discover = () => {
    discovery ??= getJson<Discovery>(`${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    discovery.catch(() => {
      discovery = undefined;
    });
    return discovery;
  };

  const exchange = async (grant: Record<string, string>) => {
    const { token_endpoint } = await discover();
    const answer = await getJson<Record<string, unknown>>(token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({ ...grant, client_id: config.client_id }),
    });
    if (typeof answer['access_token'] !== 'string') throw new Error('The sign-in gave no token.');
    tokens = {
      access: answer['access_token'],
      expiresAtMs: Date.now() + Number(answer['expires_in'] ?? 300) * 1000,
      ...(typeof answer['refresh_token'] === 'string' ? { refresh: answer['refresh_token'] } : keep(tokens?.refresh)),
      ...(typeof answer['id_token'] === 'string' ? { id: answer['id_token'] } : {}),
    };
    sessionStorage.setItem(TOKENS, JSON.stringify(tokens));
  };

  const renew = async () => {
    const refresh = tokens?.refresh;
    try {
      if (refresh === undefined) throw new Error('nothing to renew with');
      await exchange({ grant_type: 'refresh_token', refresh_token: refresh });
      return true;
    } catch {
      tokens = undefined;
      sessionStorage.removeItem(TOKENS);
      return false;
    }
  };
  // Of several calls at once one renews: a refresh token is good once.
  const renewOnce = () => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const answer = new URLSearchParams(location.search);
  if (answer.has('state') && (answer.has('code') || answer.has('error'))) {
    const pending = read<Pending>(PENDING);
    sessionStorage.removeItem(PENDING);
    history.replaceState(null, '', pending?.returnTo ?? '/');
    const issuer = answer.get('iss');
    if (!pending || answer.get('state') !== pending.state || (issuer !== null && !isSame(issuer, config.issuer))) {
      throw new Error('This sign-in was not begun here. Sign in again.');
    }
    const code = answer.get('code');
    if (code === null) throw new Error('The sign-in was not completed. Try again.');
    await exchange({
      grant_type: 'authorization_code',
      code,
      code_verifier: pending.verifier,
      redirect_uri: redirectUri,
    });
  }

  return {
    get isSignedIn() {
      return tokens !== undefined;
    },
    async token() {
      if (tokens && tokens.expiresAtMs - EARLY_MS < Date.now()) await renewOnce();
      return tokens?.access;
    },
    renew: renewOnce,
    async signIn() {
      const { authorization_endpoint } = await discover();
      const verifier = randomText();
      const pending: Pending = { state: randomText(), verifier, returnTo: location.pathname + location.search };
      sessionStorage.setItem(PENDING, JSON.stringify(pending));
      const url = new URL(authorization_endpoint);
      if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('The sign-in has no web address.');
      const query = {
        response_type: 'code',
        client_id: config.client_id,
        redirect_uri: redirectUri,
        scope: config.scope ?? 'openid profile email offline_access',
        state: pending.state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      location.assign(url);
    },
    async signOut() {
      const id = tokens?.id;
      tokens = undefined;
      sessionStorage.clear();
      const { end_session_endpoint } = await discover();
      if (end_session_endpoint === undefined) return location.reload();
      const url = new URL(end_session_endpoint);
      url.searchParams.set('client_id', config.client_id);
      url.searchParams.set('post_logout_redirect_uri', redirectUri);
      if (id !== undefined) url.searchParams.set('id_token_hint', id);
      location.assign(url);
    },
  };
}

function keep(refresh: string | undefined): { refresh?: string } {
  return refresh === undefined ? {} : { refresh };
}

function isSame(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

async function getJson<Value>(url: string, init?: RequestInit): Promise<Value> {
  const response = await fetch(url, { ...init, credentials: 'omit' });
  if (!response.ok) throw new Error(`The sign-in answered with status ${response.status}.`);
  return (await response.json()) as Value;
}

function read<Value>(key: string): Value | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Value);
}
