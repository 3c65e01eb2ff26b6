import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSystemClock } from '@berth/kit';
import { createTestIssuer } from '../../auth/testing/create-test-issuer.ts';

/** A provider that signs in whoever comes, as `sub`, by the code flow with PKCE. */
export interface SignInProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Grants that tokens were given for, in order. */
  readonly grants: readonly string[];
  /** Seconds that its next tokens are good for. */
  expiresInSeconds: number;
}

export async function createSignInProvider(sub: string): Promise<SignInProvider> {
  const keys = await createTestIssuer(createSystemClock());
  const challenges = new Map<string, string>();
  const grants: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
        .end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') {
      const [authorization_endpoint, token_endpoint] = [`${issuer}/authorize`, `${issuer}/token`];
      return json(200, { issuer, jwks_uri: keys.jwksUrl, authorization_endpoint, token_endpoint });
    }
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      challenges.set(code, url.searchParams.get('code_challenge') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      back.searchParams.set('iss', issuer);
      return response.writeHead(302, { location: back.href }).end();
    }
    const form = new URLSearchParams(await text(request));
    const grant = form.get('grant_type') ?? '';
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      grant === 'refresh_token'
        ? form.get('refresh_token') === 'again'
        : verifier === challenges.get(form.get('code') ?? '');
    if (url.pathname !== '/token' || !isGood) return json(400, { error: 'invalid_grant' });
    challenges.delete(form.get('code') ?? '');
    grants.push(grant);
    const { expiresInSeconds } = self;
    const access_token = await keys.sign({ sub, aud: form.get('client_id') ?? '' }, { issuer, expiresInSeconds });
    json(200, { access_token, token_type: 'Bearer', expires_in: expiresInSeconds, refresh_token: 'again' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const self: SignInProvider = {
    issuer,
    grants,
    expiresInSeconds: 300,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await keys[Symbol.asyncDispose]();
    },
  };
  return self;
}
