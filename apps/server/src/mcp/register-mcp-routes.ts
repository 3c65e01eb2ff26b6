import { type Api, type ApiContext, type InternalBindings, type Principal, REGISTERED_SCOPES } from '@berth/accounts';
import { createClient } from '@berth/client';
import { createError } from '@berth/contract';
import { ACCOUNT_HEADER, API_KEY_HEADER } from '@berth/contract/headers';
import { clientAddress } from '@berth/http';
import { BerthError, type Clock } from '@berth/kit';
import type { McpEndpoint, ToolAccess } from '@berth/mcp';
import { cors } from 'hono/cors';

/** Dependencies of {@link registerMcpRoutes}. */
export interface McpRouteDeps {
  readonly endpoint: McpEndpoint;
  readonly clock: Clock;
  /** The address of the API, without a trailing slash. */
  readonly apiUrl: string;
  /** Origins of the platform's own pages. A browser on any other page is refused. */
  readonly ownOrigins: readonly string[];
  /**
   * Returns the caller of a request.
   * @throws `unauthenticated`
   */
  authenticate(headers: Headers): Promise<Principal>;
  /** Returns the caller by an access token of the identity provider for this server; undefined for any other token. */
  findCaller(token: string): Promise<Principal | undefined>;
  /** Fetches a signed URL of an object. */
  readonly transfer: ToolAccess['transfer'];
}

const PATH = '/mcp';

/** Where the metadata of the protected resource is. Source: RFC 9728, section 3.1; clients try the second without a challenge. */
const METADATA = [`/.well-known/oauth-protected-resource${PATH}`, '/.well-known/oauth-protected-resource'] as const;

/** The form of a token of the identity provider: a JWT. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The credentials of a request. The cookie of the platform's pages isn't one: a page of another site could make a browser send it. */
const CREDENTIAL_HEADERS = ['authorization', API_KEY_HEADER, ACCOUNT_HEADER];

/**
 * Registers the platform's MCP server. Its tools call the API's own routes as the caller, in this process, so that every permission check,
 * limit and audit record is that of the HTTP API.
 */
export function registerMcpRoutes(api: Api, deps: McpRouteDeps): void {
  // Without sessions there is nothing to GET or DELETE: clients take the 405 for that.
  api.post(PATH, async (c) => {
    requireOwnOrigin(c, deps);
    const principal = await authenticateClient(c, deps);
    c.set('principal', principal);
    return deps.endpoint.fetch(c.req.raw, { client: internalClient(api, c, deps), transfer: deps.transfer });
  });
  const metadata = {
    resource: deps.apiUrl + PATH,
    resource_name: 'Berth',
    authorization_servers: [deps.apiUrl],
    scopes_supported: REGISTERED_SCOPES,
    bearer_methods_supported: ['header'],
  };
  for (const path of METADATA) {
    api.get(path, cors({ origin: '*' }), (c) => c.json(metadata, 200, { 'Cache-Control': 'public, max-age=300' }));
  }
}

/** Refuses pages of other origins, which a browser may have led here by DNS rebinding. Programs send no Origin. */
function requireOwnOrigin(c: ApiContext, { ownOrigins }: McpRouteDeps): void {
  const origin = c.req.header('origin');
  if (origin === undefined || ownOrigins.includes(origin)) return;
  throw createError('forbidden', "Pages of other sites can't use the MCP server. Connect with a program.");
}

/** @throws `unauthenticated`, with the challenge that leads clients to the identity provider (RFC 9728, section 5.1) */
async function authenticateClient(
  c: ApiContext,
  { authenticate, findCaller, apiUrl }: McpRouteDeps,
): Promise<Principal> {
  const headers = new Headers();
  for (const name of CREDENTIAL_HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const token = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const isSent = token !== undefined || headers.has(API_KEY_HEADER);
  try {
    const isJwt = token !== undefined && JWT.test(token) && !headers.has(API_KEY_HEADER);
    return (isJwt ? await findCaller(token) : undefined) ?? (await authenticate(headers));
  } catch (error) {
    if (!BerthError.is(error, 'unauthenticated')) throw error;
    const problem = isSent ? 'error="invalid_token", ' : '';
    const challenge = `Bearer ${problem}resource_metadata="${apiUrl}${METADATA[0]}"`;
    throw createError('unauthenticated', error.message, { cause: error, details: { ...error.details, challenge } });
  }
}

/** Returns a client whose requests the API answers in this process, as the caller of `c`. */
function internalClient(api: Api, c: ApiContext, { apiUrl, clock }: McpRouteDeps): ToolAccess['client'] {
  const bindings: InternalBindings = { principal: c.get('principal'), clientAddress: clientAddress(c) };
  return createClient({
    baseUrl: apiUrl,
    clock,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      // Its log lines and audit records carry the id of the request that caused it.
      request.headers.set('x-request-id', c.get('requestId'));
      return api.fetch(request, bindings);
    },
  });
}
