import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatTimestamp } from '../entry/timestamp.ts';
import { scanBackward, scanForward } from './line-scan.ts';
import type { ReadableFile } from './log-files.ts';
import { decodeLine, encodeBody, encodeLine } from './record-line.ts';
import { findLastEntry, findStartAfter } from './segment-search.ts';

/** A file in memory that counts what is read of it. */
function memoryFile(bytes: Buffer): ReadableFile & { readBytes: number } {
  return {
    readBytes: 0,
    async read(position, length) {
      const part = bytes.subarray(position, position + length);
      this.readBytes += part.length;
      return part;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function lines(messageLengths: readonly number[]): string[] {
  return messageLengths.map((length, index) => {
    const body = encodeBody({ logName: 'stdout', severity: 'INFO', message: 'ü'.repeat(length) });
    return encodeLine(timeOf(index), body);
  });
}

const timeOf = (index: number) => formatTimestamp(1_000_000 + index, 500);

/** Mostly short, some longer than what is read at a time. */
const lengths = fc.array(fc.oneof({ weight: 9, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.nat(90_000) }), {
  maxLength: 60,
});

describe('scans', () => {
  test('both directions visit every line with its place', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, async (messageLengths) => {
        const texts = lines(messageLengths);
        const bytes = Buffer.from(texts.join(''));
        const visited: { text: string; start: number }[] = [];
        const visit = (line: Buffer, start: number) => {
          visited.push({ text: line.toString(), start });
          return true;
        };
        await scanForward(memoryFile(bytes), { start: 0, end: bytes.length }, visit);
        expect(visited.map((one) => one.text)).toEqual(texts);
        for (const { text, start } of visited) expect(bytes.toString('utf8', start).startsWith(text)).toBe(true);
        const forward = visited.splice(0);
        await scanBackward(memoryFile(bytes), bytes.length, visit);
        expect(visited).toEqual(forward.toReversed());
      }),
      { numRuns: 40 },
    );
  });
});

describe('findStartAfter', () => {
  test('starts at or before the first later entry, and near it', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: -1, max: 61 }), async (messageLengths, index) => {
        const texts = lines(messageLengths);
        const bytes = Buffer.from(texts.join(''));
        const start = await findStartAfter(memoryFile(bytes), bytes.length, timeOf(index));
        const wanted = Buffer.byteLength(texts.slice(0, index + 1).join(''));
        expect(start).toBeLessThanOrEqual(wanted);
        expect(start === 0 || bytes[start - 1] === 10).toBe(true);
        const longest = Math.max(0, ...texts.map((text) => Buffer.byteLength(text)));
        expect(wanted - start).toBeLessThanOrEqual(65_536 + 2 * longest);
      }),
      { numRuns: 100 },
    );
  });

  test('reads a small part of a large segment', async () => {
    const texts = lines(Array.from({ length: 40_000 }, () => 50));
    const bytes = Buffer.from(texts.join(''));
    const file = memoryFile(bytes);
    const start = await findStartAfter(file, bytes.length, timeOf(29_999));
    expect(Buffer.byteLength(texts.slice(0, 30_000).join('')) - start).toBeLessThan(65_536 * 2);
    expect(file.readBytes).toBeLessThan(bytes.length / 8);
  });
});

describe('findLastEntry', () => {
  test('finds the last whole entry, wherever the file was cut', async () => {
    const texts = lines([3, 90_000, 0, 12]);
    const whole = Buffer.from(texts.join(''));
    const ends = texts.map((_, index) => Buffer.byteLength(texts.slice(0, index + 1).join('')));
    const cuts = [...ends.flatMap((end) => [end - 1, end, end + 1, end + 9, end + 60]), 0, 1, 70_000];
    for (const cut of cuts.filter((one) => one <= whole.length)) {
      const kept = ends.filter((end) => end <= cut).length;
      const found = await findLastEntry(memoryFile(whole.subarray(0, cut)), cut);
      expect(found).toEqual(kept === 0 ? { end: 0 } : { end: ends[kept - 1], timestamp: timeOf(kept - 1) });
    }
  });

  test('goes past zeros and garbage', async () => {
    const [first = '', second = ''] = lines([5, 5]);
    const damaged = second.replace('INFO', 'INFX');
    for (const rest of [
      Buffer.alloc(200_000),
      Buffer.from('\n\n\n'),
      Buffer.from(damaged),
      Buffer.from('00000000 {}\n'),
    ]) {
      const bytes = Buffer.concat([Buffer.from(first), rest]);
      expect((await findLastEntry(memoryFile(bytes), bytes.length)).end).toBe(Buffer.byteLength(first));
    }
  });
});

describe('decodeLine', () => {
  test('no damaged line is an entry', () => {
    const line = Buffer.from(lines([10])[0] ?? '');
    fc.assert(
      fc.property(fc.nat(line.length - 1), fc.integer({ min: 1, max: 255 }), (index, flip) => {
        const damaged = Buffer.from(line);
        damaged[index] = (damaged[index] ?? 0) ^ flip;
        const entry = decodeLine(damaged);
        // The case of a hex digit and the byte after the checksum carry nothing.
        expect(entry === undefined || index < 9).toBe(true);
      }),
    );
  });
});
