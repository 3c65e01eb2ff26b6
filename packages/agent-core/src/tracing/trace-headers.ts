import { type Context, context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { MiddlewareHandler } from 'hono';
import type { AgentEnv } from '../http/agent-app.ts';

/**
 * Returns middleware that runs a request inside the trace of its caller, unless the program's own instrumentation did so already. Lines
 * that the request logs carry its `trace_id`.
 */
export function continueTrace(): MiddlewareHandler<AgentEnv> {
  return (c, next) => {
    const active = context.active();
    const inside = trace.getSpan(active) ? active : callerTrace(c.req.raw.headers);
    const traceId = trace.getSpanContext(inside)?.traceId;
    if (traceId !== undefined) c.set('logger', c.get('logger').child({ trace_id: traceId }));
    return context.with(inside, next);
  };
}

function callerTrace(headers: Headers): Context {
  return propagation.extract(ROOT_CONTEXT, headers, {
    get: (carrier, name) => carrier.get(name) ?? undefined,
    keys: (carrier) => [...carrier.keys()],
  });
}

/** Returns the headers that continue the active trace at another system; none when tracing is off. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
