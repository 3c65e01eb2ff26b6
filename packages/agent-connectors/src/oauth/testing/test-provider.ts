import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response of the provider; an object is sent as JSON. */
export interface ProviderAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readonly<Record<string, unknown>>;
}

/** A request that the provider received. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Fields of a form body. */
  readonly form: URLSearchParams;
  readonly body: string;
}

/** A replacement for the provider's response; undefined keeps the usual one, which `usual` returns. */
export type Misbehaviour = (
  request: ProviderRequest,
  usual: () => ProviderAnswer,
) => ProviderAnswer | undefined | Promise<ProviderAnswer | undefined>;

/** Options of {@link openTestProvider}. */
export interface TestProviderOptions {
  /** Fields of the metadata (RFC 8414) that are added or replaced; undefined removes a field. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The same for the protected resource metadata (RFC 9728). */
  readonly resourceMetadata?: Readonly<Record<string, unknown>>;
  /** Registered clients; those with a secret must authenticate. */
  readonly clients?: Readonly<Record<string, string | undefined>>;
  /** Lifetime of access tokens; null: not announced. 3600 by default. */
  readonly expiresInSeconds?: number | null;
  /** Each refresh token can be used once. */
  readonly isRotating?: boolean;
}

/**
 * An OAuth 2.1 authorization server and a protected resource on one loopback socket. `/mcp` and everything below
 * `/api/` require a token and send a challenge. Opening the `authorize` URL counts as consent.
 */
export interface TestProvider extends AsyncDisposable {
  /** Its origin and issuer. */
  readonly url: string;
  readonly resource: string;
  readonly requests: readonly ProviderRequest[];
  /** Returns the requests of a path. */
  asked(path: string): readonly ProviderRequest[];
  /** Replaces the responses of `path`; undefined restores them. */
  misbehave(path: string, answer: Misbehaviour | undefined): void;
  /** Consents, and returns the URL to which the browser would be redirected. */
  consent(authorizeUrl: string): Promise<string>;
  /** Issues tokens without an authorization. */
  give(): { readonly accessToken: string; readonly refreshToken: string };
  /** Revokes all tokens. */
  revokeAll(): void;
  isGood(accessToken: string): boolean;
}

interface Code {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string | null;
}

/** Starts a test provider. */
export async function openTestProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  const requests: ProviderRequest[] = [];
  const misbehaviours = new Map<string, Misbehaviour>();
  const clients = new Map(Object.entries(options.clients ?? {}));
  const codes = new Map<string, Code>();
  const accessTokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    const usual = () => answerOf(request);
    const answer = (await misbehaviours.get(request.path)?.(request, usual)) ?? usual();
    const isText = typeof answer.body === 'string' || answer.body === undefined;
    response.writeHead(answer.status ?? 200, {
      'content-type': isText ? 'text/html' : 'application/json',
      'cache-control': 'no-store',
      ...answer.headers,
    });
    response.end(isText ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resource = `${url}/mcp`;

  const give = () => {
    const accessToken = `access-${randomBytes(12).toString('hex')}`;
    const refreshToken = `refresh-${randomBytes(12).toString('hex')}`;
    accessTokens.add(accessToken);
    refreshTokens.add(refreshToken);
    return { accessToken, refreshToken };
  };
  const answerTokens = (): ProviderAnswer => {
    const { accessToken, refreshToken } = give();
    const { expiresInSeconds = 3_600 } = options;
    return {
      body: {
        access_token: accessToken,
        token_type: 'Bearer',
        refresh_token: refreshToken,
        ...(expiresInSeconds !== null && { expires_in: expiresInSeconds }),
      },
    };
  };

  /** Returns the id of the authenticated client. Source: RFC 6749, 2.3.1. */
  const clientOf = ({ headers, form }: ProviderRequest): string | undefined => {
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
    const [id, secret] = basic
      ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
      : [form.get('client_id') ?? '', form.get('client_secret') ?? undefined];
    const isKnown = id?.startsWith('https://') || (id !== undefined && clients.has(id) && clients.get(id) === secret);
    return isKnown ? id : undefined;
  };

  const routes: Readonly<Record<string, (request: ProviderRequest) => ProviderAnswer>> = {
    '/mcp': ({ headers }) =>
      accessTokens.has(headers.authorization?.replace('Bearer ', '') ?? '')
        ? { body: { hello: 'you' } }
        : {
            status: 401,
            headers: {
              'www-authenticate': `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
            },
          },
    '/.well-known/oauth-protected-resource/mcp': () => ({
      body: { resource, authorization_servers: [url], ...options.resourceMetadata },
    }),
    '/.well-known/oauth-authorization-server': () => ({
      body: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        revocation_endpoint: `${url}/revoke`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        ...options.metadata,
      },
    }),
    '/register': ({ body }) => {
      const id = `client-${clients.size + 1}`;
      clients.set(id, undefined);
      return { status: 201, body: { ...JSON.parse(body), client_id: id } };
    },
    '/authorize': ({ query }) => {
      const of = (name: string) => query.get(name) ?? '';
      const [redirectUri, challenge] = [of('redirect_uri'), of('code_challenge')];
      if (of('code_challenge_method') !== 'S256' || challenge === '') return { status: 400, body: 'no PKCE' };
      const code = `code-${randomBytes(12).toString('hex')}`;
      codes.set(code, { clientId: of('client_id'), redirectUri, challenge, resource: query.get('resource') });
      const back = new URL(redirectUri);
      for (const [name, value] of Object.entries({ code, state: of('state'), iss: url })) {
        back.searchParams.set(name, value);
      }
      return { status: 302, headers: { location: back.href } };
    },
    '/token': (request) => {
      const { form } = request;
      const refuse = (error: string, status = 400) => ({ status, body: { error, error_description: '<b>no</b>' } });
      const clientId = clientOf(request);
      if (clientId === undefined) return refuse('invalid_client', 401);
      if (form.get('grant_type') === 'refresh_token') {
        const token = form.get('refresh_token') ?? '';
        if (!refreshTokens.has(token)) return refuse('invalid_grant');
        if (options.isRotating) refreshTokens.delete(token);
        return answerTokens();
      }
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const verifier = createHash('sha256').update(form.get('code_verifier') ?? '');
      const isGood =
        code?.clientId === clientId &&
        code.redirectUri === form.get('redirect_uri') &&
        code.resource === form.get('resource') &&
        code.challenge === verifier.digest('base64url');
      return isGood ? answerTokens() : refuse('invalid_grant');
    },
    '/revoke': ({ form }) => {
      accessTokens.delete(form.get('token') ?? '');
      refreshTokens.delete(form.get('token') ?? '');
      return {};
    },
  };
  const answerOf = (request: ProviderRequest): ProviderAnswer => {
    const route = routes[request.path] ?? (request.path.startsWith('/api/') ? routes['/mcp'] : undefined);
    return route?.(request) ?? { status: 404, body: 'nothing here' };
  };

  return {
    url,
    resource,
    requests,
    asked: (path) => requests.filter((request) => request.path === path),
    misbehave: (path, answer) => {
      if (answer) misbehaviours.set(path, answer);
      else misbehaviours.delete(path);
    },
    async consent(authorizeUrl) {
      const response = await fetch(authorizeUrl, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
      return location;
    },
    give,
    revokeAll() {
      accessTokens.clear();
      refreshTokens.clear();
    },
    isGood: (accessToken) => accessTokens.has(accessToken),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ProviderRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://provider');
  const isForm = incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return {
    method: incoming.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body,
    form: new URLSearchParams(isForm ? body : ''),
  };
}
