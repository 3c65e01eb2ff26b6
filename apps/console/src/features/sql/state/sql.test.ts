import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { describe, expect, test } from 'vitest';
import { applyCompletion } from '../../../components/code-field/completion.ts';
import { completeSql } from './complete-sql.ts';
import { createSavedQueries } from './saved-queries.ts';
import { readSqlProblem } from './sql-problem.ts';
import { createSqlRun } from './sql-run.ts';
import { toPlot } from './to-plot.ts';

describe('completion', () => {
  const options = (text: string) => completeSql(text, text.length)?.options.map((option) => option.text) ?? [];
  test('completes relations after FROM, and their columns elsewhere', () => {
    expect(options('SELECT * FROM ')).toEqual(['logs', 'billing']);
    expect(options('SELECT * FROM billing WHERE cos')).toEqual(['cost']);
    expect(options('SELECT sev')).toContain('severity');
    expect(options("SELECT 'sev")).toEqual([]);
    expect(options('SELECT 1 -- sev')).toEqual([]);
    expect(options('')).toEqual([]);
  });

  test('a choice replaces the typed text', () => {
    expect(applyCompletion('SEL * ', 3, 0, { text: 'SELECT', kind: 'word' })).toEqual({ text: 'SELECT  * ', caret: 7 });
  });
});

test('finds the position of an error that the engine draws or names', () => {
  const error = (msg: string) => ({ details: { issues: [{ loc: ['body', 'query'], msg }] } });
  const query = 'SELECT\n  foo FROM logs';
  const drawn = 'Binder Error: no "foo"\n\nLINE 2:   foo FROM logs\n          ^';
  expect(readSqlProblem(error(drawn), query)).toEqual({ message: 'Binder Error: no "foo"', at: query.indexOf('foo') });
  const named = 'Parser Error: syntax error at or near "logs" (line 1, column 14)';
  expect(readSqlProblem(error(named), 'SELECT * FRM logs')).toEqual({
    message: 'Parser Error: syntax error at or near "logs"',
    at: 13,
  });
  expect(readSqlProblem(error('There is no relation named "x".'), 'SELECT')).toMatchObject({ at: undefined });
  expect(readSqlProblem(new Error('down'), '')).toBeUndefined();
});

test('saved queries belong to one account, are sorted by name, and a corrupt storage reads as empty', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  const queries = createSavedQueries('acct_a', storage);
  queries.keep({ name: 'b', query: '1' });
  queries.keep({ name: 'a', query: '2' });
  queries.keep({ name: 'b', query: '3' });
  expect(queries.list()).toEqual([
    { name: 'a', query: '2' },
    { name: 'b', query: '3' },
  ]);
  queries.remove('a');
  expect([queries.list().length, createSavedQueries('acct_b', storage).list()]).toEqual([1, []]);
  kept.set('berth.queries.acct_a', '{');
  expect(queries.list()).toEqual([]);
});

test('a canceled or replaced query reports nothing more', async () => {
  const asked: { resolve(rows: never[]): void }[] = [];
  const client = createFakeCalls<ControlPaths>({
    'POST /v1/sql': ({ signal }) =>
      new Promise<never[]>((resolve, reject) => {
        asked.push({ resolve });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const run = createSqlRun(client, () => 0);
  const first = run.run('1');
  run.cancel();
  await first;
  expect(run.getState()).toMatchObject({ status: 'cancelled', error: undefined });
  const second = run.run('2');
  const third = run.run('3');
  asked[2]?.resolve([]);
  await Promise.all([second, third]);
  expect(run.getState()).toMatchObject({ status: 'done', query: '3' });
});

test('a plot sorts times and reads numbers sent as text', () => {
  const rows = [
    { hour: '2026-01-01T01:00:00Z', cost: '1.5', n: 2, sku: 'a' },
    { hour: '2026-01-01T00:00:00Z', cost: null, n: -1, sku: 'b' },
  ];
  expect(toPlot(rows)).toEqual({
    x: { name: 'hour', isTime: true, values: ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'] },
    series: [
      { name: 'cost', values: [0, 1.5] },
      { name: 'n', values: [-1, 2] },
    ],
    most: 2,
    least: -1,
    leftOut: 0,
  });
  expect([toPlot([]), toPlot([{ a: 'x' }]), toPlot([{ n: 1 }])]).toEqual([undefined, undefined, undefined]);
});
