import { describe, expect, it } from 'vitest';
import { readReport } from './frame-messages.ts';

describe('a report of the frame', () => {
  it('is text of a known type and a bounded length', () => {
    expect(readReport({ type: 'error', message: 'x', other: 1 })).toEqual({ type: 'error', message: 'x' });
    expect(readReport({ type: 'link', message: 'x'.repeat(5_000) })?.message).toHaveLength(1_000);
  });

  // Fails when the frame is trusted: an artifact can send anything.
  it.each([undefined, null, 'error', 7, {}, { type: 'eval', message: 'x' }, { type: 'error', message: { a: 1 } }])(
    'is not %j',
    (data) => {
      expect(readReport(data)).toBeUndefined();
    },
  );
});
