import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTimestampSequence } from '../entry/timestamp.ts';
import { encodeBody, encodeLine } from '../lines/record-line.ts';
import { lineSegmentName } from '../segments/segment-name.ts';
import { decodeBlock } from './encode-block.ts';
import { listFolderLogs, readLineBlocks } from './read-line-blocks.ts';

const PLACE = { account: 'acc', deployment: 'shop' };
let root: string;
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-lines-'));
});
afterAll(() => rmSync(root, { recursive: true }));

function makeFolder(): string {
  const folder = mkdtempSync(path.join(root, 'logs-'));
  mkdirSync(path.join(folder, 'acc/shop'), { recursive: true });
  return folder;
}

async function readAll(folder: string, after?: string) {
  const blocks = await Array.fromAsync(readLineBlocks(folder, PLACE, after));
  const texts = await Promise.all(blocks.map((block) => decodeBlock(block.body, block)));
  return { blocks, text: Buffer.concat(texts).toString() };
}

// Fails when a line is lost, doubled or changed, or a block tells something else than its lines.
test('the blocks of a folder have its whole lines, from any of them on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ size: fc.integer({ min: 1, max: 90_000 }), isBroken: fc.boolean() }), { minLength: 1 }),
      fc.nat(),
      async (entries, start) => {
        const folder = makeFolder();
        const times = createTimestampSequence();
        const lines = entries.map(({ size, isBroken }, index) => {
          const timestamp = times.next(1_700_000_000_000 + index);
          const severity = index % 2 ? ('ERROR' as const) : ('INFO' as const);
          const body = encodeBody({ logName: 'stdout', severity, message: 'x'.repeat(size) });
          const line = encodeLine(timestamp, body);
          return { timestamp, severity, line: isBroken ? line.replace('x', 'y') : line, isBroken };
        });
        const half = Math.ceil(lines.length / 2);
        for (const part of [lines.slice(0, half), lines.slice(half)]) {
          if (part.length === 0) continue;
          const file = path.join(folder, 'acc/shop', lineSegmentName(part[0]?.timestamp ?? ''));
          writeFileSync(file, part.map(({ line }) => line).join(''));
        }
        const whole = lines.filter(({ isBroken }) => !isBroken);
        const { blocks, text } = await readAll(folder);
        expect(text).toBe(whole.map(({ line }) => line).join(''));
        expect(blocks.reduce((sum, { rows }) => sum + rows, 0)).toBe(whole.length);
        for (const { startsAt, endsAt, sizeBytes, rows, severities } of blocks) {
          const inside = whole.filter(({ timestamp }) => timestamp >= startsAt && timestamp <= endsAt);
          expect(inside).toHaveLength(rows);
          expect(rows === 1 || sizeBytes <= 256 * 1024).toBe(true);
          expect(severities !== 0).toBe(true);
        }
        const from = whole[start % Math.max(1, whole.length)]?.timestamp;
        const rest = whole.filter(({ timestamp }) => from === undefined || timestamp > from);
        expect((await readAll(folder, from)).text).toBe(rest.map(({ line }) => line).join(''));
      },
    ),
    { numRuns: 30 },
  );
});

test('a folder lists the logs that have lines', async () => {
  const folder = makeFolder();
  expect(await listFolderLogs(path.join(folder, 'none'))).toEqual([]);
  mkdirSync(path.join(folder, '.incoming/x'), { recursive: true });
  mkdirSync(path.join(folder, 'acc/empty'));
  writeFileSync(path.join(folder, 'acc/shop', lineSegmentName('2026-11-28T09:00:00.000000000Z')), '12345');
  expect(await listFolderLogs(folder)).toEqual([{ place: PLACE, files: 1, sizeBytes: 5 }]);
});
