import { expect, test } from 'vitest';
import { createTraceSource, parseTraceId } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

test.each([
  [`00-${TRACE}-b7ad6b7169203331-01`, TRACE],
  [`01-${TRACE}-b7ad6b7169203331-01-future`, TRACE],
  [`ff-${TRACE}-b7ad6b7169203331-01`, undefined],
  [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, undefined],
  ['', undefined],
])('the trace of %j', (traceparent, trace) => {
  expect(parseTraceId(traceparent)).toBe(trace);
});

test('made ones are valid, and differ also across draws of randomness', () => {
  const source = createTraceSource();
  const traces = Array.from({ length: 600 }, () => parseTraceId(source.next()));
  expect(traces).not.toContain(undefined);
  expect(new Set(traces).size).toBe(600);
});
