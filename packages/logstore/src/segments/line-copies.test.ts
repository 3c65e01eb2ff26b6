import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createFakeClock } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { LineSegment } from '../ports/segment.ts';
import type { EngineRequest } from '../processes/log-engine/engine-protocol.ts';
import { createLineCopies } from './line-copies.ts';
import { fileOfLines } from './lines-to-file.ts';

const PLACE = { account: 'acme', deployment: 'shop' };
const MINUTE_MS = 60_000;

const lines = (name: string, sizeBytes: number): LineSegment => ({
  ...{ kind: 'lines', path: `/logs/${name}`, sizeBytes },
  startsAt: '2026-01-31T00:00:00.000000000Z',
});

/** Copies over an engine that writes which bytes of which file it was given. */
function open() {
  const root = mkdtempSync(join(tmpdir(), 'berth-copies-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'copies');
  mkdirSync(folder);
  writeFileSync(join(folder, 'left-from-before'), 'x');
  const clock = createFakeClock();
  const engine = { failure: undefined as Error | undefined, isEmpty: false, gate: Promise.resolve() };
  const asked: string[] = [];
  const copies = createLineCopies({
    folder,
    clock,
    toFile: fileOfLines,
    engine: {
      async write({ sources, range, target }: EngineRequest<'write'>) {
        await engine.gate;
        if (engine.failure) throw engine.failure;
        asked.push(`${basename(sources[0] ?? '')} ${range?.start}-${range?.end}`);
        if (engine.isEmpty) return undefined;
        writeFileSync(target, 'parquet');
        return { startsAt: '', endsAt: '', rows: 1, severities: 1 };
      },
    },
  });
  const hold = async (...segments: LineSegment[]) => copies.hold(PLACE, segments);
  /** What is asked of the engine by a hold of these segments, which is let go of at once. */
  const ask = async (...segments: LineSegment[]) => {
    const before = asked.length;
    (await hold(...segments))[Symbol.dispose]();
    return asked.slice(before);
  };
  const files = () => {
    const ofLog = join(folder, PLACE.account, PLACE.deployment);
    return existsSync(ofLog) ? readdirSync(ofLog) : [];
  };
  return { folder, clock, engine, asked, copies, hold, ask, files };
}

// Fails when a segment is copied whole each time: a query would cost as much as the log is long.
test('a segment that grew costs what it grew by, until that is worth joining', async () => {
  const { ask, files } = open();
  expect(await ask(lines('a', 1_000))).toEqual(['a 0-1000']);
  expect(await ask(lines('a', 1_000))).toEqual([]);
  expect(await ask(lines('a', 1_010))).toEqual(['a 1000-1010']);
  // The piece before it is not much larger, so both become one; the first one is.
  expect(await ask(lines('a', 1_020))).toEqual(['a 1000-1020']);
  await expect.poll(files).toHaveLength(2);
  expect(await ask(lines('a', 2_000))).toEqual(['a 0-2000']);
  await expect.poll(files).toHaveLength(1);
});

// Fails when an older list of segments takes pieces away: its reader sees more than it asked for, and misses nothing.
test('a list that is older than the copies asks for nothing, and gets all of them', async () => {
  const { ask, hold } = open();
  await ask(lines('a', 1_000));
  await ask(lines('a', 1_100));
  expect(await ask(lines('a', 1_000))).toEqual([]);
  using held = await hold(lines('a', 1_000));
  expect(held.paths).toHaveLength(2);
});

// Fails when pieces are removed under their reader, or never.
test('what a reader holds stays until it lets go, also when the segment has become Parquet', async () => {
  const { hold, ask, files, folder } = open();
  const held = await hold(lines('a', 100), lines('b', 10));
  expect(held.paths).toHaveLength(2);
  expect(held.paths.map((path) => dirname(path))).toEqual([1, 2].map(() => join(folder, 'acme', 'shop')));
  // The first has become Parquet, the second has grown so much that its piece is replaced.
  expect(await ask(lines('b', 100))).toEqual(['b 0-100']);
  expect(held.paths.map((path) => existsSync(path))).toEqual([true, true]);
  held[Symbol.dispose]();
  held[Symbol.dispose]();
  await expect.poll(files).toHaveLength(1);
});

// Fails when a copy that failed counts as made: the query would leave out entries without a word.
test('a copy that fails is an error, and is made by the next hold', async () => {
  const { engine, ask, hold } = open();
  engine.failure = new Error('the engine ended');
  await expect(hold(lines('a', 100))).rejects.toThrow('the engine ended');
  engine.failure = undefined;
  expect(await ask(lines('a', 100))).toEqual(['a 0-100']);
});

// Fails when bytes without an entry, which the engine makes no file of, are given to readers or copied again.
test('lines without an entry have no file, and an empty segment is not asked for', async () => {
  const { engine, ask, hold } = open();
  engine.isEmpty = true;
  expect(await ask(lines('a', 30), lines('empty', 0))).toEqual(['a 0-30']);
  expect(await ask(lines('a', 30))).toEqual([]);
  using held = await hold(lines('a', 30));
  expect(held.paths).toEqual([]);
});

// Fails when two holds of one log run beside each other: both would copy the same bytes, which are then answered twice.
test('holds of one log that come at once copy once', async () => {
  const { engine, asked, hold } = open();
  const gate = Promise.withResolvers<void>();
  engine.gate = gate.promise;
  const both = [hold(lines('a', 100)), hold(lines('a', 100))];
  gate.resolve();
  const [one, other] = await Promise.all(both);
  expect([asked, other?.paths]).toEqual([['a 0-100'], one?.paths]);
});

// Fails when idle copies stay, or the timer isn't put off by each use.
test('copies go after five minutes without a use, and what a killed process left goes at the start', async () => {
  const { clock, ask, files, folder, copies } = open();
  await ask(lines('a', 100));
  expect(readdirSync(folder)).toEqual(['acme']);
  clock.advance(4 * MINUTE_MS);
  expect(await ask(lines('a', 100))).toEqual([]);
  clock.advance(4 * MINUTE_MS);
  expect(files()).toHaveLength(1);
  clock.advance(MINUTE_MS);
  await expect.poll(files).toHaveLength(0);
  expect(await ask(lines('a', 100))).toEqual(['a 0-100']);
  copies.close();
  expect(clock.pending).toBe(0);
});
