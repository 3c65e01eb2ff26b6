import { openSpan } from '@berth/agent-core';
import { openTestSdk } from '@berth/agent-core/testing';
import { context, createTraceState, trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { withTraceMeta } from './trace-meta.ts';

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const decode = (body: Uint8Array) => JSON.parse(new TextDecoder().decode(body));

it('leaves messages as they are when tracing is off', () => {
  const body = encode({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(withTraceMeta(body)).toBe(body);
});

// Fails when a request, a notification or a batch lacks the trace, a response gets one, or a value of the caller's is replaced.
it('adds the trace to each request and notification, beside what is there', async () => {
  await using _sdk = openTestSdk();
  using span = openSpan('call');
  span?.run(() => {
    const active = trace.getSpanContext(context.active());
    const traceparent = `00-${active?.traceId}-${active?.spanId}-01`;
    const meta = (message: object) => decode(withTraceMeta(encode(message)));
    expect(meta({ id: 1, method: 'tools/list' })).toEqual({
      id: 1,
      method: 'tools/list',
      params: { _meta: { traceparent } },
    });
    expect(meta({ id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 7 } } }).params).toEqual({
      name: 'a',
      _meta: { progressToken: 7, traceparent },
    });
    expect(meta({ method: 'x', params: { _meta: { traceparent: 'own' } } }).params._meta).toEqual({
      traceparent: 'own',
    });
    expect(meta([{ method: 'x' }, { id: 2, result: {} }])).toEqual([
      { method: 'x', params: { _meta: { traceparent } } },
      { id: 2, result: {} },
    ]);
    const stated = { ...active, traceState: createTraceState('vendor=1') } as NonNullable<typeof active>;
    const body = context.with(trace.setSpanContext(context.active(), stated), () => meta({ method: 'x' }));
    expect(body.params._meta).toEqual({ traceparent, tracestate: 'vendor=1' });
  });
  expect.assertions(5);
});
