import { expect, test } from 'vitest';
import { formatSql } from './format-sql.ts';
import { createQueryHistory } from './query-history.ts';
import { nextOrder, sortRows } from './sort-rows.ts';
import { readSuggestions } from './sql-problem.ts';
import { findPlotColumns, toPlot } from './to-plot.ts';

test('formats a query in both dialects, and leaves it alone if its meaning could change', async () => {
  expect(await formatSql("select a, count(*) as n from logs where b='x  y' group by 1 -- end")).toBe(
    "SELECT\n  a,\n  count(*) AS n\nFROM\n  logs\nWHERE\n  b = 'x  y'\nGROUP BY\n  1 -- end",
  );
  expect(await formatSql('select x[OFFSET(0)].name, * except (b) from `logs`')).toContain('[OFFSET(0)].name');
  // One of the dialects would split this operator.
  expect(await formatSql("select a->>'b' from logs where n = -1 and m::int > 2")).toContain("a ->> 'b'");
  expect(await formatSql('select (')).toBeUndefined();
});

test('keeps the latest queries without duplicates, and tolerates a full storage', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const history = createQueryHistory('acct_a', storage);
  for (let n = 0; n < 120; n++) history.add({ query: `SELECT ${n}`, atMs: n, tookMs: 1, rows: 1 });
  history.add({ query: 'SELECT 100', atMs: 200, tookMs: 1, rows: undefined });
  expect(history.list().length).toBe(100);
  expect(history.list().slice(0, 2)).toEqual([
    { query: 'SELECT 100', atMs: 200, tookMs: 1 },
    { query: 'SELECT 119', atMs: 119, tookMs: 1, rows: 1 },
  ]);
  expect(createQueryHistory('acct_b', storage).list()).toEqual([]);
  history.clear();
  expect(history.list()).toEqual([]);
  const full = {
    ...storage,
    setItem: () => {
      throw new Error('full');
    },
  };
  expect(() => createQueryHistory('a', full).add({ query: 'x', atMs: 0, tookMs: 0, rows: 0 })).not.toThrow();
});

test('sorts rows by a column: ascending, descending and as answered', () => {
  const rows = [{ n: '10' }, { n: null }, { n: 9 }, { n: '9007199254740993' }];
  const ordered = (order: ReturnType<typeof nextOrder>) => sortRows(rows, order).map(({ n }) => n);
  const up = nextOrder(undefined, 'n');
  const down = nextOrder(up, 'n');
  expect(ordered(up)).toEqual([9, '10', '9007199254740993', null]);
  expect(ordered(down)).toEqual(['9007199254740993', '10', 9, null]);
  expect(ordered(nextOrder(down, 'n'))).toEqual(rows.map(({ n }) => n));
  expect(sortRows([{ a: 'b' }, { a: 'a' }], { name: 'a', isDown: false })).toEqual([{ a: 'a' }, { a: 'b' }]);
});

test('a suggestion of the engine replaces the unknown name', () => {
  const query = 'SELECT severty FROM logs';
  const message = 'Binder Error: Referenced column "severty" not found!\nCandidate bindings: "severity", "trace"';
  expect(readSuggestions({ message, at: 7 }, query)).toEqual([
    { text: 'severity', from: 7, to: 14 },
    { text: 'trace', from: 7, to: 14 },
  ]);
  expect(readSuggestions({ message: 'Did you mean "logs"?', at: 14 }, 'SELECT * FROM lgs')).toEqual([
    { text: 'logs', from: 14, to: 17 },
  ]);
  expect(readSuggestions({ message, at: undefined }, query)).toEqual([]);
  expect(readSuggestions({ message: 'syntax error at or near "logs"', at: 20 }, query)).toEqual([]);
});

test('plots the chosen columns if they are suitable', () => {
  const rows = [
    { at: '2026-01-01', name: 'a', n: 1, m: '2.5' },
    { at: '2026-01-02', name: 'b', n: 3, m: '4' },
  ];
  expect(findPlotColumns(rows)).toEqual({ x: ['at', 'name', 'n', 'm'], series: ['n', 'm'] });
  const shape = (choice: Parameters<typeof toPlot>[1]) => {
    const plot = toPlot(rows, choice);
    return [plot?.x.name, plot?.series.map(({ name }) => name)];
  };
  expect(shape({})).toEqual(['at', ['n', 'm']]);
  expect(shape({ x: 'name', series: ['m'] })).toEqual(['name', ['m']]);
  expect(shape({ x: 'n' })).toEqual(['n', ['m']]);
  expect(shape({ x: 'gone', series: ['name', 'at'] })).toEqual(['at', ['n', 'm']]);
});
