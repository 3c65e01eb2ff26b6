import type { ControlPaths } from '@berth/client';
import { createFakeCalls, type FakeCall } from '@berth/client/testing';
import { createError } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import {
  type AuditView,
  isNarrow,
  parseAuditView,
  toAuditCommands,
  toAuditQuery,
  toAuditSearch,
} from './audit-view.ts';
import { exportAudit } from './export-audit.ts';

const NOTHING: AuditView = { actor: '', action: '', target: '', range: undefined, entry: undefined };
const nowMs = Date.parse('2026-01-31T12:00:00Z');
const quote = (text: string) => `'${text}'`;

describe('a view', () => {
  // Fails when a part of the view is lost in the address.
  test.each<Partial<AuditView>>([
    {},
    { actor: 'usr_1', action: 'key', target: 'ci' },
    { range: { last: '7d' }, entry: 'aud_1' },
    { range: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' } },
  ])('with %j survives the address', (changes) => {
    const view = { ...NOTHING, ...changes };
    expect(parseAuditView(toAuditSearch(view))).toEqual(view);
  });

  test('reads numbers as text, and drops an invalid range', () => {
    expect(parseAuditView({ target: 42, range: '9y' })).toEqual({ ...NOTHING, target: '42' });
    expect(toAuditSearch(NOTHING)).toEqual({});
  });

  // Fails when an expanded entry alone counts as a filter: the page would offer to clear it.
  test.each<[Partial<AuditView>, boolean]>([
    [{}, false],
    [{ entry: 'aud_1' }, false],
    [{ actor: 'system' }, true],
    [{ action: 'key' }, true],
    [{ target: 'x' }, true],
    [{ range: { last: '1h' } }, true],
  ])('with %j is narrow: %s', (changes, expected) => {
    expect(isNarrow({ ...NOTHING, ...changes })).toBe(expected);
  });

  // Fails when a span has an end: entries that are written meanwhile would be missing.
  test('of a span has no end; one of exact times has', () => {
    expect(toAuditQuery({ ...NOTHING, range: { last: '1h' } }, nowMs)).toEqual({ since: '2026-01-31T11:00:00.000Z' });
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    expect(toAuditQuery({ ...NOTHING, range }, nowMs)).toEqual({
      since: '2026-01-01T00:00:00.000Z',
      until: '2026-01-02T00:00:00.000Z',
    });
  });

  test.each<[Partial<AuditView>, string, string]>([
    [{}, 'npx berth audit', '/v1/user/audit'],
    [{ actor: 'a b', target: 'x' }, "npx berth audit --actor 'a b' --target 'x'", '/v1/user/audit?actor=a+b&target=x'],
    [{ range: { last: '24h' } }, 'npx berth audit --since 24h', '/v1/user/audit?since=2026-01-30T12%3A00%3A00.000Z'],
  ])('with %j has its commands', (changes, cli, path) => {
    expect(toAuditCommands({ ...NOTHING, ...changes }, nowMs, quote)).toEqual({ cli, http: { method: 'GET', path } });
  });
});

describe('an export', () => {
  const entry = (index: number) => ({
    ...{ id: `aud_${index}`, time: '2026-01-01T00:00:00Z', action: 'key.create', target: 'ci', request_id: null },
    ...{ actor: { kind: 'session', id: 'usr_1' }, actor_name: 'Ada, "A"', details: { a: 1 } },
  });

  function setup(answer: (query: FakeCall['query'], page: number) => unknown) {
    const queries: FakeCall['query'][] = [];
    const client = createFakeCalls<ControlPaths>({
      'GET /v1/user/audit': ({ query, signal }) => {
        signal?.throwIfAborted();
        queries.push(query);
        return answer(query, queries.length);
      },
    });
    const ending = new AbortController();
    const told: number[] = [];
    const run = (onProgress: (lines: number) => void = (lines) => told.push(lines)) =>
      exportAudit(client, { action: 'key' }, { onProgress, signal: ending.signal });
    return { run, queries, told, ending };
  }

  // Fails when a page is read twice or left out, or the filter holds for the first page only.
  test('has the entries of all pages', async () => {
    const { run, queries, told } = setup((_, page) => ({
      entries: [entry(page)],
      next_page_token: page < 3 ? `p${page + 1}` : null,
    }));
    const lines = (await run()).trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('"Ada, ""A"""');
    expect(queries.map(({ action, limit, page_token: token }) => [action, limit, token])).toEqual([
      ['key', 1_000, undefined],
      ['key', 1_000, 'p2'],
      ['key', 1_000, 'p3'],
    ]);
    expect(told).toEqual([1, 2, 3]);
  });

  test('without entries is an empty file', async () => {
    expect(await setup(() => ({ entries: [], next_page_token: null })).run()).toBe('');
  });

  // Fails when the export has no bound: the browser holds it in memory.
  test('ends at two hundred thousand entries', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => entry(index));
    const { run, queries } = setup(() => ({ entries: many, next_page_token: 'more' }));
    await run();
    expect(queries).toHaveLength(2);
  });

  // Fails when an error in the middle gives a file that looks whole.
  test('fails as a whole, and ends when it is canceled', async () => {
    const broken = setup((_, page) => {
      if (page === 2) throw createError('internal', 'Broken.');
      return { entries: [entry(page)], next_page_token: 'more' };
    });
    await expect(broken.run()).rejects.toThrow('Broken.');
    const canceled = setup((_, page) => ({ entries: [entry(page)], next_page_token: 'more' }));
    const running = canceled.run(() => canceled.ending.abort(new Error('canceled')));
    await expect(running).rejects.toThrow('canceled');
    expect(canceled.queries).toHaveLength(1);
  });
});
