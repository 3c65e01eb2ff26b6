import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentSignIn } from '@berth/contract/agent';
import { Provider } from 'oidc-provider';

/** An OpenID provider that isn't Berth's: node-oidc-provider, which is certified, with its own sign-in pages. */
export interface ForeignProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Paths that were requested, e.g. `/me` for userinfo. */
  readonly requested: readonly string[];
  /**
   * Signs a person in as the chat page does, through the provider's pages, and returns the tokens.
   * @param login the person's `sub`
   */
  signIn(config: AgentSignIn | null, login: string): Promise<ForeignTokens>;
  /** Revokes an access token. Source: RFC 7009. */
  revoke(token: string): Promise<void>;
  /** Sends a refresh token as the chat page does. */
  refresh(config: AgentSignIn | null, refreshToken: string): Promise<ForeignTokens>;
}

/** A token response. */
export interface ForeignTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** The client that may introspect. Its secret has characters that must be encoded for Basic authentication. */
export const INTROSPECTOR = { clientId: 'the:agent', clientSecret: 'hush+hush:%/&' };
/** APIs of the provider; tokens for `jwt` are JWTs, for `opaque` they aren't. */
export const API = { jwt: 'https://jwt.example/api', opaque: 'https://opaque.example/api' };

const REDIRECT_URI = 'http://localhost:9/';

/** Starts the provider. The user `ann` is Ann; others have no profile. */
export async function openForeignProvider(): Promise<ForeignProvider> {
  const requested: string[] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'page',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        client_id: INTROSPECTOR.clientId,
        client_secret: INTROSPECTOR.clientSecret,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
      },
    ],
    claims: { profile: ['name', 'picture'], email: ['email'] },
    cookies: { keys: ['test'] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, ...(sub === 'ann' && { name: 'Ann', email: 'ann@example.com' }) }),
    }),
    features: {
      introspection: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'openid profile email offline_access',
          audience: resource,
          accessTokenFormat: resource === API.jwt ? 'jwt' : 'opaque',
          // Otherwise RS256 keys of the provider's own would do as well; this is its default.
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    requested.push((request.url ?? '').replace(/\?.*/, ''));
    void answer(request, response);
  });

  const redeem = async (form: Readonly<Record<string, string>>): Promise<ForeignTokens> => {
    const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as ForeignTokens;
  };
  return {
    issuer,
    requested,
    async signIn(config, login) {
      const { client_id, scope, resource, parameters } = pageOf(config);
      const verifier = randomBytes(32).toString('base64url');
      const url = new URL(`${issuer}/auth`);
      const target = resource === undefined ? {} : { resource };
      const query = {
        ...{
          ...parameters,
          ...target,
          client_id,
          scope,
          response_type: 'code',
          redirect_uri: REDIRECT_URI,
          state: 's',
        },
        // Without it the provider issues no refresh token. Source: OpenID Connect Core 1.0, section 11.
        prompt: 'consent',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const code = (await clickThrough(url, login)).searchParams.get('code') ?? '';
      const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
      return redeem({ ...grant, client_id, ...target });
    },
    refresh(config, refreshToken) {
      const { client_id, resource } = pageOf(config);
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id };
      return redeem({ ...grant, ...(resource && { resource }) });
    },
    async revoke(token) {
      const body = new URLSearchParams({ token, client_id: 'page' });
      const response = await fetch(`${issuer}/token/revocation`, { method: 'POST', body });
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pageOf(config: AgentSignIn | null) {
  if (!config || 'token' in config) throw new Error('the agent has no sign-in');
  return config;
}

/** Opens the provider's pages as a browser does, signs in and consents. Returns the address that it ends at. */
async function clickThrough(start: URL, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let body: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const init = { headers: { cookie }, redirect: 'manual', ...(body && { method: 'POST', body }) } as const;
    const response = await fetch(url, init);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    body = undefined;
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(REDIRECT_URI)) return url;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`${response.status}: ${page.slice(0, 2_000)}`);
    body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
  }
  throw new Error('the sign-in has no end');
}
