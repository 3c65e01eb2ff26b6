import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPacketReader, encodePacket, FLUSH, MAX_PACKET_BYTES, type Packet } from './packets.ts';

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it('packets survive any cut of the stream, and the rest follows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 50 }),
      fc.uint8Array({ maxLength: 100 }),
      async (packets, size, tail) => {
        const bytes = Buffer.concat([...packets.map(encodePacket), Buffer.from(FLUSH), tail]);
        const reader = createPacketReader(inPieces(bytes, size));
        const read: Packet[] = [];
        for (let packet = await reader.next(); packet !== undefined && packet !== 'flush'; packet = await reader.next())
          read.push(packet);
        expect(read).toEqual(packets.map((packet) => Buffer.from(packet)));
        const rest: Uint8Array[] = [];
        for await (const chunk of reader.rest()) rest.push(chunk);
        expect(Buffer.concat(rest)).toEqual(Buffer.from(tail));
      },
    ),
    { numRuns: 50 },
  );
});

it.each([
  ['no length', 'GET /'],
  ['a length that no packet has', '0003'],
  ['a length above the maximum', 'fff5'],
  ['an end within a packet', '0010abc'],
  ['an end within a length', '00'],
])('%s is refused', async (_title, text) => {
  await expect(createPacketReader(inPieces(Buffer.from(text), 3)).next()).rejects.toThrow("isn't Git's protocol");
});

it('a packet above the maximum is not encoded', () => {
  expect(() => encodePacket(Buffer.alloc(MAX_PACKET_BYTES + 1))).toThrow(RangeError);
});
