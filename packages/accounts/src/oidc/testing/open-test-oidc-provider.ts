import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** Who signs in next, and what is wrong with the answer. */
export interface TestSignIn {
  /** Claims of the ID token besides those of the protocol, or instead of them. */
  readonly claims: JWTPayload;
  /** The provider's answer to the browser instead of a code. */
  readonly error?: string;
  /** Another `iss` in the answer to the browser. */
  readonly answerIssuer?: string;
  /** Signs with a key that the provider does not show. */
  readonly isForged?: boolean;
  /** What the user info address tells. */
  readonly userInfo?: JWTPayload;
}

/** An OpenID Connect provider on a socket of loopback, with one client. Whoever opens its authorize address is signed in. */
export interface TestOidcProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What the browsers that come asked for, newest last. */
  readonly asked: readonly URLSearchParams[];
  signIn(next: TestSignIn): void;
  /** What a browser would be sent back to. */
  visit(authorizeUrl: string): Promise<URL>;
}

interface Code {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly signIn: TestSignIn;
}

const CLIENT = { id: 'berth', secret: 'a secret: with/signs' };

export interface TestOidcProviderOptions {
  /** What its tokens are dated by, wall clock. */
  nowMs?(): number;
  /** Whether people type on a page who they are, by an address; else {@link TestOidcProvider.signIn} says it. */
  readonly hasPage?: boolean;
}

export async function openTestOidcProvider({
  nowMs = Date.now,
  hasPage = false,
}: TestOidcProviderOptions = {}): Promise<TestOidcProvider> {
  const codes = new Map<string, Code>();
  const asked: URLSearchParams[] = [];
  let next: TestSignIn = { claims: {} };
  const keys = await generateKeyPair('ES256', { extractable: true });
  const strangers = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' };

  const sign = ({ nonce, signIn: { claims, isForged } }: Code) => {
    const nowSeconds = Math.floor(nowMs() / 1_000);
    const usual = { iss: issuer, aud: CLIENT.id, nonce, iat: nowSeconds, exp: nowSeconds + 300 };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign((isForged ? strangers : keys).privateKey);
  };

  const authorize = (query: URLSearchParams) => {
    asked.push(query);
    const of = (name: string) => query.get(name) ?? '';
    const back = new URL(of('redirect_uri'));
    back.searchParams.set('state', of('state'));
    back.searchParams.set('iss', next.answerIssuer ?? issuer);
    if (next.error !== undefined) back.searchParams.set('error', next.error);
    else {
      const code = randomBytes(12).toString('hex');
      const asks = { redirectUri: of('redirect_uri'), challenge: of('code_challenge'), nonce: of('nonce') };
      codes.set(code, { ...asks, signIn: next });
      back.searchParams.set('code', code);
    }
    return back;
  };

  const token = async (request: IncomingMessage) => {
    const form = new URLSearchParams(await textOf(request));
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const basic = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    const isClient =
      basic
        .split(':')
        .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
        .join('\n') === `${CLIENT.id}\n${CLIENT.secret}`;
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = code?.redirectUri === form.get('redirect_uri') && code.challenge === challenge;
    if (!isClient) return { status: 401, body: { error: 'invalid_client' } };
    if (!code || !isGood) return { status: 400, body: { error: 'invalid_grant' } };
    return { status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: await sign(code) } };
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    const typed = searchParams.get('address');
    if (typed !== null) next = { claims: { sub: typed, email: typed, email_verified: true, name: nameOf(typed) } };
    if (pathname === '/authorize' && hasPage && typed === null) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(searchParams));
      return;
    }
    if (pathname === '/authorize') {
      response.writeHead(302, { location: authorize(searchParams).href }).end();
      return;
    }
    const at = (path: string) => issuer + path;
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: at('/authorize'),
        token_endpoint: at('/token'),
        jwks_uri: at('/keys'),
        userinfo_endpoint: at('/user'),
        authorization_response_iss_parameter_supported: true,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['ES256'],
      },
      '/keys': { keys: [jwk] },
      '/user': { sub: next.claims.sub, ...next.userInfo },
    };
    const { status, body } =
      pathname === '/token'
        ? await token(request)
        : { status: pathname in documents ? 200 : 404, body: documents[pathname] };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    asked,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    signIn(one) {
      next = one;
    },
    async visit(authorizeUrl) {
      const response = await fetch(authorizeUrl, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A form that asks for an address, and holds all that the browser came with. */
function pageOf(query: URLSearchParams): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const hidden = [...query].map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`);
  return `<!doctype html><title>Provider</title><form action="/authorize">${hidden.join('')}<input name="address"></form>`;
}

/** `ada.lovelace@example.org` is Ada Lovelace. */
function nameOf(address: string): string {
  const words = address.replace(/@.*/, '').split(/[.-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
