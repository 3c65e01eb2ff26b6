import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from '../testing/index.ts';
import { readServerSentEvents } from './read-server-sent-events.ts';

async function* chunked(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const place of [...places, bytes.length]) {
    yield bytes.subarray(start, place);
    start = place;
  }
}
const read = (text: string, cuts: readonly number[] = []) =>
  collect(readServerSentEvents(chunked(new TextEncoder().encode(text), cuts)));

test('the same events come out wherever the chunks are cut and however lines end', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0\uFEFF]/g, ''));
  const event = fc.record({ id: line.filter((id) => id !== ''), data: fc.array(line, { minLength: 1, maxLength: 3 }) });
  const end = fc.constantFrom('\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(fc.array(event), end, fc.array(fc.nat(), { maxLength: 20 }), async (events, eol, cuts) => {
      const text = events
        .map(({ id, data }) =>
          [`: comment`, `id: ${id}`, 'retry: 1', ...data.map((one) => `data: ${one}`), '', ''].join(eol),
        )
        .join('');
      const expected = events.map(({ id, data }) => ({ id, data: data.join('\n') }));
      // A lone CR at the very end waits for what could be its LF.
      expect(await read(`${text}:${eol}:`, cuts)).toEqual(expected);
    }),
  );
});

test('an event that was not finished is dropped; an id stays until the next', async () => {
  expect(await read('id: 1\ndata:a\n\ndata:b\n\nid: 2\ndata: c\n')).toEqual([
    { id: '1', data: 'a' },
    { id: '1', data: 'b' },
  ]);
});

test('an event without an end is refused before it fills the memory', async () => {
  async function* endless() {
    for (;;) yield new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}\n`);
  }
  await expect(collect(readServerSentEvents(endless()))).rejects.toThrow(/too long/);
});
