import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCollectingLogger } from '../testing/collecting-logger.ts';
import { AcmeFailure } from './acme-failure.ts';
import { openRetryLedger } from './retry-ledger.ts';

const MINUTE_MS = 60_000;

let folder: string;
let clock: FakeClock;
const logger = createCollectingLogger();
const file = () => path.join(folder, 'retries.json');
const open = () => openRetryLedger(folder, clock, logger);
const rateLimited = (retryAfterMs: number) => new AcmeFailure('too many', { type: 'rateLimited', retryAfterMs });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-ledger-'));
  clock = createFakeClock();
});

afterEach(() => rmSync(folder, { recursive: true }));

test('delays grow from five minutes to twelve hours and reset after a success', async () => {
  const ledger = await open();
  const waits: number[] = [];
  for (let i = 0; i < 10; i++) {
    const { retryAtMs } = await ledger.recordFailure('a.example', new Error('no'));
    waits.push((retryAtMs - clock.nowMs()) / MINUTE_MS);
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 720, 720]);
  await ledger.recordSuccess('a.example');
  expect(ledger.find('a.example')).toBeUndefined();
  expect((await ledger.recordFailure('a.example', new Error('no'))).failures).toBe(1);
});

test('no more than five failures fit into any hour', async () => {
  const ledger = await open();
  const times: number[] = [];
  for (let i = 0; i < 8; i++) {
    const { failedAtMs, retryAtMs } = await ledger.recordFailure('a.example', new Error('no'));
    times.push(failedAtMs);
    clock.advance(retryAtMs - failedAtMs);
  }
  for (const start of times) {
    expect(times.filter((time) => time >= start && time < start + 60 * MINUTE_MS).length).toBeLessThanOrEqual(5);
  }
});

test('a delay set by the server is kept and cannot be hastened', async () => {
  const ledger = await open();
  const { retryAtMs } = await ledger.recordFailure('a.example', rateLimited(168 * 60 * MINUTE_MS));
  expect(retryAtMs - clock.nowMs()).toBe(168 * 60 * MINUTE_MS);
  ledger.hasten('a.example');
  expect(ledger.find('a.example')?.retryAtMs).toBe(retryAtMs);
});

test('hastening allows an attempt five minutes after the failure, never earlier', async () => {
  const ledger = await open();
  for (let i = 0; i < 4; i++) await ledger.recordFailure('a.example', new Error('no'));
  ledger.hasten('a.example');
  expect(ledger.find('a.example')?.retryAtMs).toBe(clock.nowMs() + 5 * MINUTE_MS);
  ledger.hasten('unknown.example');
  expect(ledger.find('unknown.example')).toBeUndefined();
});

test('the ledger survives a restart in a private file; a damaged one is logged and reset', async () => {
  const ledger = await open();
  await Promise.all([ledger.recordFailure('a.example', new Error('one')), ledger.recordFailure('b.example', 'two')]);
  const again = await open();
  expect(again.find('a.example')).toEqual(ledger.find('a.example'));
  expect(again.find('b.example')?.problem).toBe('two');
  expect(statSync(file()).mode & 0o777).toBe(0o600);

  writeFileSync(file(), readFileSync(file(), 'utf8').slice(0, 20));
  expect((await open()).find('a.example')).toBeUndefined();
  expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
});
