import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeRequest } from './encode-request.ts';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\u2028', '\ud800', '\n'));
const number = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }));
const parts = fc.record({ queuedMs: number, firstByteMs: number });
const optional = <Value>(key: string, value: fc.Arbitrary<Value>) =>
  fc.option(
    value.map((one) => ({ [key]: one })),
    { nil: {} },
  );

const entry = fc
  .tuple(
    fc.record({ message: text, severity: fc.constantFrom('INFO' as const, 'WARNING' as const, 'ERROR' as const) }),
    fc.record({
      method: text,
      url: text,
      status: fc.integer({ min: 100, max: 599 }),
      latencyMs: number,
      requestSize: number,
      responseSize: number,
      remoteIp: text,
      userAgent: text,
      protocol: text,
    }),
    fc.tuple(optional('coldStart', parts), optional('resume', parts)),
    fc.tuple(optional('revision', text), optional('trace', text), optional('instance', text)),
  )
  .map(([{ message, severity }, request, waits, sources]) => ({
    logName: 'requests' as const,
    severity,
    message,
    httpRequest: Object.assign(request, ...waits),
    ...Object.assign({}, ...sources),
  }));

test('is the JSON of the entry, to the letter', () => {
  fc.assert(
    fc.property(entry, (one) => void expect(encodeRequest(one)).toBe(JSON.stringify(one))),
    { numRuns: 500 },
  );
});
