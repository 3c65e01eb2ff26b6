import { randomFillSync } from 'node:crypto';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_PARENT = '0'.repeat(16);
/** Size of a trace id and a parent id. */
const BYTES_PER_TRACE = 24;
const POOLED_TRACES = 256;

/** Returns the 32 hexadecimal digits of the trace id in a `traceparent` (W3C Trace Context, section 3.2); undefined when it is invalid. */
export function parseTraceId(traceparent: string): string | undefined {
  const match = TRACEPARENT.exec(traceparent);
  if (match === null || match[1] === ZERO_TRACE || match[2] === ZERO_PARENT) return undefined;
  return match[1];
}

/** A source of `traceparent` values, with the sampled flag set, for requests without one. */
export type TraceSource = ReturnType<typeof createTraceSource>;

/** Creates a source that draws random bytes for 256 traces at once, because a draw per request would be slow. */
export function createTraceSource(fill: (bytes: Buffer) => void = randomFillSync) {
  const pool = Buffer.alloc(BYTES_PER_TRACE * POOLED_TRACES);
  let at = pool.length;
  return {
    next(): string {
      if (at === pool.length) {
        fill(pool);
        at = 0;
      }
      const trace = pool.toString('hex', at, at + 16);
      const parent = pool.toString('hex', at + 16, at + BYTES_PER_TRACE);
      at += BYTES_PER_TRACE;
      return `00-${trace}-${parent}-01`;
    },
  };
}
