import { type Outbound, serverAttributes, withSpan } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { decodeBody, type GuardedResponse, isDecodable, OutboundError } from '@berth/outbound';
import type { Connector } from '../connector/connector.ts';
import type { Grant, Grants } from '../connector/grants.ts';
import { apiAddress } from './api-address.ts';
import { maskSecrets } from './mask-secrets.ts';
import { shownHeaders } from './shown-headers.ts';

/**
 * Request headers that are forwarded to the API. All others are dropped: the agent's credentials and cookies, the
 * caller's address, connection headers. Source: docs/contract/agent-api.md §8, "an allow-list".
 */
const SENT_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-md5',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'prefer',
  'range',
];

/** A permitted call of a connector's API. */
export interface ApiCall {
  readonly connector: Connector;
  readonly grant: Grant;
  readonly method: string;
  /** As in the request line: relative to the base, without a leading slash; see `apiAddress`. */
  readonly path: string;
  readonly query: string | undefined;
  /** The caller's headers; only those on the allow-list are forwarded. */
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** An API's response as the caller sees it. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when there is none. Otherwise it has to be read or discarded, so that the connection is released. */
  readonly body: AsyncIterable<Uint8Array> | undefined;
  /** Drops the body and releases the connection. */
  discard(): void;
}

/** Maximum duration of a response, however fast it streams. */
const TOTAL_MS = 600_000;
const EMPTY_STATUSES: readonly number[] = [204, 205, 304];

/**
 * Calls an API with the grant. When the API answers 401, renews the credential and repeats the call once.
 * @throws `bad_request` for a path that leaves the base, `forbidden` for an address that outbound rules refuse,
 * `unavailable` when the API can't be reached.
 */
export async function callApi(
  deps: { readonly outbound: Pick<Outbound, 'request'>; readonly grants: Grants },
  call: ApiCall,
): Promise<ApiAnswer> {
  const base = apiBase(call.connector, call.grant);
  const attributes = {
    'http.request.method': call.method,
    'berth.connector': call.connector.name,
    ...(base !== undefined && serverAttributes(new URL(base))),
  };
  return await withSpan(call.method, { isClient: true, attributes }, async (span) => {
    const answer = await askRenewed(deps, call);
    span?.set({ 'http.response.status_code': answer.status });
    return answer;
  });
}

async function askRenewed({ outbound, grants }: Parameters<typeof callApi>[0], call: ApiCall): Promise<ApiAnswer> {
  const { connector, grant } = call;
  const answer = await ask(outbound, call, grant);
  if (answer.status !== 401 || connector.auth.type === 'none') return toAnswer(answer, call, grant);
  let renewed: Grant | undefined;
  try {
    renewed = await grants.reportRejected(connector, grant);
  } catch (error) {
    answer.discard();
    throw error;
  }
  if (!renewed) return toAnswer(answer, call, grant);
  answer.discard();
  return toAnswer(await ask(outbound, call, renewed), call, renewed);
}

/** Returns the API's base URL for this grant; undefined when the connector has no API. */
export function apiBase({ api }: Connector, grant: Pick<Grant, 'endpoint'>): string | undefined {
  return grant.endpoint ?? api?.baseUrl;
}

async function ask(outbound: Pick<Outbound, 'request'>, call: ApiCall, grant: Grant): Promise<GuardedResponse> {
  const { connector, method, path, query, body, signal } = call;
  const base = apiBase(connector, grant);
  if (base === undefined) throw createError('not_found', `${connector.title} has no API to call.`);
  const url = apiAddress(base, path, query);
  const headers = sentHeaders(call.headers, connector.api?.headers ?? {});
  grant.authorize(url, headers);
  try {
    return await outbound.request({
      url: url.href,
      method,
      headers: Object.fromEntries(headers),
      ...(body && { body }),
      signal,
      timeoutMs: AGENT_LIMITS.connectorCallMs,
      totalMs: TOTAL_MS,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const code = error.fault === 'refused' ? 'forbidden' : 'unavailable';
    throw createError(code, grant.scrub(`${connector.title}: ${error.message}`), { cause: error });
  }
}

function toAnswer(answer: GuardedResponse, { connector, method }: ApiCall, grant: Grant): ApiAnswer {
  const { status, discard } = answer;
  if (status < 200 || status > 599) {
    discard();
    throw createError('unavailable', `${connector.title} returned an invalid status, ${status}.`);
  }
  const headers = shownHeaders(answer.headers, grant.scrub);
  if (method === 'HEAD' || EMPTY_STATUSES.includes(status)) {
    discard();
    return { status, headers, body: undefined, discard };
  }
  const encoding = answer.headers['content-encoding'];
  // A partial response can't be decoded.
  const isDecoded = encoding !== undefined && isDecodable(encoding) && status !== 206;
  if (isDecoded) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  const bytes = isDecoded ? decodeBody(encoding, answer.body) : answer.body;
  return { status, headers, body: maskSecrets(bytes, grant.secrets), discard };
}

/** Returns the caller's forwarded headers, overridden by the owner's. */
function sentHeaders(asked: Headers, declared: Readonly<Record<string, string>>): Headers {
  const sent = new Headers();
  for (const name of SENT_HEADERS) {
    const value = asked.get(name);
    if (value !== null) sent.set(name, value);
  }
  for (const [name, value] of Object.entries(declared)) sent.set(name, value);
  return sent;
}
