import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestIssuer } from '../../../packages/agent/src/auth/testing/create-test-issuer.ts';
import { createSystemClock } from '../../../packages/kit/src/index.ts';

/** A provider that signs in whoever comes by the code flow with PKCE, and gives refresh tokens that are good once. */
export interface SignInProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Grants that tokens were given for, in order. */
  readonly grants: readonly string[];
  /** Refresh tokens that were brought a second time. */
  readonly reused: readonly string[];
  /** Queries of its page for signing out, in order. */
  readonly signOuts: readonly URLSearchParams[];
  /** Who comes. */
  sub: string;
  /** Seconds that its next tokens are good for. The page takes them for run out 15 s before, so that fewer are renewed at each call. */
  expiresInSeconds: number;
  /** It takes no refresh token any more. */
  isOver: boolean;
  /** People say no. */
  isDenied: boolean;
}

/** Creates a provider. `hasTokenHost`: its token endpoint has another origin than its issuer. */
export async function createSignInProvider({ hasTokenHost = false } = {}): Promise<SignInProvider> {
  const keys = await createTestIssuer(createSystemClock());
  const challenges = new Map<string, string>();
  const refreshTokens = new Set<string>();
  const [grants, reused, signOuts]: [string[], string[], URLSearchParams[]] = [[], [], []];

  const authorize = (query: URLSearchParams): string => {
    const back = new URL(query.get('redirect_uri') ?? '');
    const code = randomUUID();
    challenges.set(code, query.get('code_challenge') ?? '');
    const answer = self.isDenied ? { error: 'access_denied' } : { code };
    for (const [name, value] of Object.entries({ ...answer, state: query.get('state') ?? '', iss: issuer })) {
      back.searchParams.set(name, value);
    }
    return back.href;
  };
  /** Undefined for a grant that is good for nothing. */
  const redeem = async (form: URLSearchParams) => {
    const grant = form.get('grant_type') ?? '';
    const code = form.get('code') ?? '';
    const refresh = form.get('refresh_token') ?? '';
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === 'authorization_code' ? verifier !== challenges.get(code) : self.isOver) return undefined;
    if (grant === 'refresh_token' && !refreshTokens.delete(refresh)) {
      reused.push(refresh);
      return undefined;
    }
    challenges.delete(code);
    grants.push(grant);
    const { sub, expiresInSeconds } = self;
    const next = randomUUID();
    refreshTokens.add(next);
    const claims = { sub, aud: form.get('client_id') ?? '' };
    const access_token = await keys.sign(claims, { issuer, expiresInSeconds });
    const id_token = await keys.sign({ ...claims, nonce: 'none' }, { issuer, expiresInSeconds });
    return { access_token, id_token, token_type: 'Bearer', expires_in: expiresInSeconds, refresh_token: next };
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
    const json = (status: number, body: unknown) => response.writeHead(status, headers).end(JSON.stringify(body));
    const go = (location: string) => response.writeHead(302, { location }).end();
    if (url.pathname === '/.well-known/openid-configuration') {
      const token_endpoint = `${hasTokenHost ? issuer.replace('localhost', '127.0.0.1') : issuer}/token`;
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint };
      return json(200, {
        ...{ issuer, jwks_uri: keys.jwksUrl, ...endpoints, end_session_endpoint: `${issuer}/end` },
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (url.pathname === '/authorize') return go(authorize(url.searchParams));
    if (url.pathname === '/end') {
      signOuts.push(url.searchParams);
      return go(url.searchParams.get('post_logout_redirect_uri') ?? issuer);
    }
    const answer = url.pathname === '/token' ? await redeem(new URLSearchParams(await text(request))) : undefined;
    return answer ? json(200, answer) : json(400, { error: 'invalid_grant' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const self: SignInProvider = {
    ...{ issuer, grants, reused, signOuts, sub: 'dora', expiresInSeconds: 300, isOver: false, isDenied: false },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await keys[Symbol.asyncDispose]();
    },
  };
  return self;
}
