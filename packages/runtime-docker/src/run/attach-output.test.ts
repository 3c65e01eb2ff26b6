import type { OutputStream } from '@berth/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demuxOutput } from './attach-output.ts';

interface Frame {
  readonly stream: OutputStream;
  readonly payload: Uint8Array;
}

const frames = fc.array(
  fc.record({ stream: fc.constantFrom<OutputStream>('stdout', 'stderr'), payload: fc.uint8Array({ maxLength: 40 }) }),
);

function encode(all: readonly Frame[]): Buffer {
  return Buffer.concat(
    all.flatMap(({ stream, payload }) => {
      const header = Buffer.alloc(8);
      header[0] = stream === 'stderr' ? 2 : 1;
      header.writeUInt32BE(payload.length, 4);
      return [header, payload];
    }),
  );
}

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test('each stream comes out as it went in, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), async (all, sizes) => {
      const got: Record<OutputStream, Uint8Array[]> = { stdout: [], stderr: [] };
      for await (const { stream, chunk } of demuxOutput(cut(encode(all), sizes))) got[stream].push(chunk);
      for (const stream of ['stdout', 'stderr'] as const) {
        const expected = all.filter((frame) => frame.stream === stream).map(({ payload }) => payload);
        expect(Buffer.concat(got[stream])).toEqual(Buffer.concat(expected));
      }
    }),
  );
});

test('a part of a frame is handed on before the rest is there', async () => {
  const whole = encode([{ stream: 'stdout', payload: Buffer.from('hello') }]);
  async function* source(): AsyncGenerator<Buffer> {
    yield whole.subarray(0, 10);
    throw new Error('nothing more is read before that is taken');
  }
  const { value } = await demuxOutput(source()).next();
  expect(value).toEqual({ stream: 'stdout', chunk: Buffer.from('he') });
});
