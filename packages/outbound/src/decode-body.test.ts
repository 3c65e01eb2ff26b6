import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from './decode-body.ts';
import { OutboundError } from './outbound-error.ts';

test('encoded answers are read piece by piece, and what only says that it is encoded is an error', async () => {
  async function* once(bytes: Uint8Array) {
    yield bytes;
  }
  const decoded = (encoding: string | undefined, bytes: Uint8Array) => text(decodeBody(encoding, once(bytes)));
  expect(await decoded(undefined, Buffer.from('plain'))).toBe('plain');
  expect(await decoded(' GZIP', gzipSync('packed'))).toBe('packed');
  await expect(decoded('gzip', Buffer.from('not packed'))).rejects.toMatchObject({ fault: 'broken' });
  await expect(decoded('gzip', gzipSync('cut off').subarray(0, 12))).rejects.toMatchObject({ fault: 'broken' });
  await expect(decoded('gzip, gzip', gzipSync('x'))).rejects.toMatchObject({ fault: 'broken' });
  await expect(decoded('constructor', Buffer.from('x'))).rejects.toMatchObject({ fault: 'broken' });
  // Ten thousand times as large: who stops reading has not unpacked the rest.
  let size = 0;
  for await (const chunk of decodeBody('gzip', once(gzipSync(Buffer.alloc(50_000_000))))) {
    size += chunk.byteLength;
    if (size > 100_000) break;
  }
  expect(size).toBeLessThan(1_000_000);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield gzipSync('x').subarray(0, 5);
    throw new OutboundError('late', 'too late');
  }
  await expect(text(decodeBody('gzip', broken()))).rejects.toThrow('too late');
});
