import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeFrame, FrameTracker } from './frame-tracker.ts';

/** One frame's bytes. */
function frame(opcode: number, length: number, isMasked: boolean): Buffer {
  const header = [0x80 | opcode];
  const mask = isMasked ? 0x80 : 0;
  if (length < 126) header.push(mask | length);
  else if (length < 65_536) header.push(mask | 126, length >> 8, length & 0xff);
  else
    header.push(
      mask | 127,
      0,
      0,
      0,
      0,
      (length >>> 24) & 0xff,
      (length >> 16) & 0xff,
      (length >> 8) & 0xff,
      length & 0xff,
    );
  if (isMasked) header.push(1, 2, 3, 4);
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0x88)]);
}

const frames = fc.array(
  fc.record({
    opcode: fc.constantFrom(0, 1, 2, 9, 10),
    length: fc.constantFrom(0, 1, 125, 126, 300, 65_535, 65_536),
    isMasked: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

test('finds every frame end, however the bytes are cut', () => {
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 90_000 }), (list, size) => {
      const parts = list.map(({ opcode, length, isMasked }) => frame(opcode, length, isMasked));
      const ends = new Set<number>();
      let total = 0;
      for (const part of parts) {
        total += part.length;
        ends.add(total);
      }
      const wire = Buffer.concat(parts);
      const tracker = new FrameTracker();
      for (let at = 0; at < wire.length; ) {
        const piece = wire.subarray(at, at + size);
        const followed = tracker.follow(piece, true);
        at += followed;
        expect(tracker.isAtBoundary).toBe(ends.has(at));
        if (followed < piece.length) expect(ends.has(at)).toBe(true);
      }
      expect(tracker.isAtBoundary).toBe(true);
      expect(tracker.hasClosed).toBe(false);
    }),
  );
});

test('without a stop it takes all', () => {
  const tracker = new FrameTracker();
  const wire = Buffer.concat([frame(1, 5, true), frame(2, 0, false), frame(1, 200, false)]);
  expect(tracker.follow(wire)).toBe(wire.length);
  expect(tracker.isAtBoundary).toBe(true);
});

test('notices a close frame', () => {
  for (const isMasked of [true, false]) {
    const tracker = new FrameTracker();
    tracker.follow(closeFrame(1012, isMasked));
    expect(tracker.hasClosed).toBe(true);
    expect(tracker.isAtBoundary).toBe(true);
  }
});
