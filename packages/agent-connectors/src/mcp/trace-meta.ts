import { traceHeaders } from '@berth/agent-core';

/** The keys of `_meta` that continue a trace. `baggage`, the third of the convention, is not sent: programs put people's data there. */
const KEYS = ['traceparent', 'tracestate'] as const;

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the body of an MCP request with the active trace in each message's `params._meta`; unchanged when tracing is off, and for
 * responses. Values that are there stay. Source: MCP, "Basic", "_meta" (SEP-414), W3C Trace Context.
 */
export function withTraceMeta(body: Uint8Array): Uint8Array {
  const headers = traceHeaders();
  const trace = Object.fromEntries(KEYS.flatMap((key) => (headers[key] === undefined ? [] : [[key, headers[key]]])));
  if (Object.keys(trace).length === 0) return body;
  const message: unknown = JSON.parse(new TextDecoder().decode(body));
  const traced = Array.isArray(message) ? message.map((one) => addTrace(one, trace)) : addTrace(message, trace);
  return new TextEncoder().encode(JSON.stringify(traced));
}

function addTrace(message: unknown, trace: Json): unknown {
  if (!isObject(message) || typeof message['method'] !== 'string') return message;
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return { ...message, params: { ...params, _meta: { ...trace, ...meta } } };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
