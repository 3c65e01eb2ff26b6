import type { IncomingMessage } from 'node:http';
import {
  type AgentApp,
  type AgentAppContext,
  type Outbound,
  type RouteGuard,
  rawPath,
  routesOf,
} from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { byteStream, readBody } from '@berth/http';
import type { Clock } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import { callerOf } from '../connector/caller.ts';
import type { Grants } from '../connector/grants.ts';
import { toolSettingKey } from '../connector/tool-setting-key.ts';
import type { ConnectorDirectory } from '../directory/create-connector-directory.ts';
import { apiAddress } from './api-address.ts';
import { type ApiCall, apiBase, callApi } from './call-api.ts';
import { type CallAllowance, createCallAllowance } from './create-call-allowance.ts';

/** The router handles HEAD as GET. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** Tool name under which the user's mode for these calls is stored. */
const FETCH_TOOL = 'fetch';

/**
 * A page's scripts send this header with the connector's name. Injected content that triggers requests can't add a
 * header.
 */
const PAGE_HEADER = 'x-connector';
/** Header values that `fetch()` sends and elements and navigations don't. Source: W3C Fetch Metadata 2. */
const OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'sec-fetch-dest': ['empty'],
  'sec-fetch-mode': ['cors', 'same-origin'],
  'sec-fetch-site': ['same-origin'],
};

const params = z.object({ name: z.string(), path: z.string() });
const description = `The path and the query are sent to the connector's API unchanged, with the caller's credential added. Only the
headers ${'`Accept`, `Content-Type`, `If-…`, `Range`, `Prefer`'} and a few more go on; of the answer's those that can do no harm come back.
Pages in a browser send ${'`X-Connector`'} with the connector's name. The body may have 5 MiB. Redirects are not followed: the response is the API's, its ${'`Location`'} as ${'`X-Connector-Location`'}.`;

/** Dependencies of {@link registerFetchRoutes}. */
export interface FetchRouteDeps extends RouteGuard {
  readonly directory: ConnectorDirectory;
  readonly grants: Grants;
  readonly stores: Pick<AgentStores, 'connectorCalls' | 'settings'>;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/** Registers `ANY /connectors/{name}/fetch/{path}`. Source: docs/contract/agent-api.md §8. */
export function registerFetchRoutes(app: AgentApp, deps: FetchRouteDeps): void {
  const route = routesOf(app, deps, 'Connectors');
  const { outbound, grants } = deps;
  const allowance = createCallAllowance(deps.stores.connectorCalls, deps.clock);
  const errors = ['bad_request', 'forbidden', 'not_found', 'payload_too_large', 'too_many_requests'] as const;
  for (const method of METHODS) {
    route(`${method} /connectors/{name}/fetch/{path{[^]*}}`, `${method.toLowerCase()}ByConnector`, {
      access: 'user',
      errors,
      summary: `${method} something of a connector's API`,
      description,
      request: { params },
      responses: { 200: { description: 'The response of the API, with its status' } },
    }).stream(async (c) => {
      const call = await admit(c, deps, allowance);
      const { status, headers, body } = await callApi({ outbound, grants }, { ...call, body: await bodyOf(c) });
      if (!body) return new Response(null, { status, headers });
      return byteStream(body, { status, headers, logger: c.get('logger') });
    });
  }
}

/**
 * Checks a request against the switches, the tool mode, the rate limit and the connection, and returns the call to
 * make.
 * @throws `not_found`, `forbidden`, `bad_request`, `too_many_requests`; `unauthenticated` when the connector has to be
 * connected first.
 */
async function admit(
  c: AgentAppContext,
  { directory, grants, stores }: FetchRouteDeps,
  allowance: CallAllowance,
): Promise<Omit<ApiCall, 'body'>> {
  const caller = callerOf(c);
  refusePageContent(c.req.raw.headers, c.req.param('name') ?? '');
  const [state, modes] = await Promise.all([
    directory.get(caller, c.req.param('name') ?? ''),
    stores.settings.toolModes(caller.owner),
  ]);
  const { connector } = state;
  const { title, name } = connector;
  if (!state.isUsable) throw createError('forbidden', `${title} is disabled here. Enable it first.`);
  const mode = modes[toolSettingKey(name, FETCH_TOOL)];
  if (mode === 'never') throw createError('forbidden', `Your settings say that ${title} is never called.`);
  if (mode === 'ask') {
    // A plain HTTP call can't show an approval card, and a call made without approval couldn't be undone.
    const detail = `Your settings say that ${title} asks before it is called, and API calls can't ask for approval.`;
    throw createError('forbidden', `${detail} Set its tool "fetch" to "allow" first.`);
  }
  if (c.req.header('upgrade') !== undefined) {
    throw createError('bad_request', 'WebSocket connections to APIs are not supported.');
  }
  const { path, query } = targetOf(c);
  const { api } = connector;
  // The path is checked before the credential is opened.
  if (api) apiAddress(api.baseUrl, path, query);
  await allowance.take(caller.person, name);
  const grant = await grants.open(caller, connector);
  if (!grant) {
    const details = { challenge: `Connector name="${name}"` };
    throw createError('unauthenticated', `${title} is not connected. Connect it first.`, { details });
  }
  if (apiBase(connector, grant) === undefined) throw createError('not_found', `${title} has no API to call.`);
  return {
    connector,
    grant,
    method: c.req.method,
    path,
    query,
    headers: c.req.raw.headers,
    signal: c.req.raw.signal,
  };
}

/** Returns the API's part of the request line, as it was sent. */
function targetOf(c: AgentAppContext): { readonly path: string; readonly query: string | undefined } {
  const path = rawPath(c).replace(/^\/connectors\/[^/]*\/fetch\//, '');
  const { incoming } = (c.env ?? {}) as { readonly incoming?: IncomingMessage };
  const target = incoming?.url ?? c.req.url;
  const mark = target.indexOf('?');
  return { path, query: mark === -1 ? undefined : target.slice(mark + 1) };
}

async function bodyOf(c: AgentAppContext): Promise<Uint8Array | undefined> {
  const hasBody = c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0;
  if (['GET', 'HEAD'].includes(c.req.method)) {
    if (hasBody) throw createError('bad_request', `A ${c.req.method} can't have a body.`);
    return undefined;
  }
  return hasBody ? await readBody(c, AGENT_LIMITS.connectorCallBytes) : new Uint8Array();
}

/**
 * Refuses calls that content on a page could have caused: images, frames, links, or a page's own loader of URLs found
 * in a message. `Sec-Fetch-Dest` and `Sec-Fetch-Site` identify browsers. Other clients can't be steered by content and
 * need only their token; the `fetch` of Node sends `Sec-Fetch-Mode` alone.
 * @throws `forbidden`
 */
function refusePageContent(headers: Headers, connector: string): void {
  if (!headers.has('sec-fetch-dest') && !headers.has('sec-fetch-site')) return;
  for (const [name, allowed] of Object.entries(OF_SCRIPTS)) {
    const value = headers.get(name);
    if (value === null || allowed.includes(value)) continue;
    throw createError(
      'forbidden',
      `Only scripts of the agent's own pages can call APIs, not requests with ${name}: ${value}.`,
    );
  }
  if (headers.get(PAGE_HEADER) === connector) return;
  throw createError('forbidden', `Send the connector's name with API calls: "X-Connector: ${connector}".`);
}
