import type { Api, ApiContext, InternalBindings, Principal } from '@berth/accounts';
import { createClient } from '@berth/client';
import { createError } from '@berth/contract';
import { ACCOUNT_HEADER, API_KEY_HEADER } from '@berth/contract/headers';
import { clientAddress } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { McpEndpoint, ToolAccess } from '@berth/mcp';

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
  /** Fetches a signed URL of an object. */
  readonly transfer: ToolAccess['transfer'];
}

const PATH = '/mcp';

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
}

/** Refuses pages of other origins, which a browser may have led here by DNS rebinding. Programs send no Origin. */
function requireOwnOrigin(c: ApiContext, { ownOrigins }: McpRouteDeps): void {
  const origin = c.req.header('origin');
  if (origin === undefined || ownOrigins.includes(origin)) return;
  throw createError('forbidden', "Pages of other sites can't use the MCP server. Connect with a program.");
}

async function authenticateClient(c: ApiContext, { authenticate }: McpRouteDeps): Promise<Principal> {
  const headers = new Headers();
  for (const name of CREDENTIAL_HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return authenticate(headers);
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
