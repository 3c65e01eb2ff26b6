import type { ControlPaths } from '@berth/client';
import { createFakeCalls, type FakeCall } from '@berth/client/testing';
import { createError, type SqlRow } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../render-view.test-support.ts';
import { createQueryHistory } from './query-history.ts';
import { RELATIONS } from './relations.ts';
import { createSavedQueries } from './saved-queries.ts';
import { nextOrder, sortRows } from './sort-rows.ts';
import { readSqlProblem, readSuggestions } from './sql-problem.ts';
import { createSqlRun } from './sql-run.ts';
import { findPlotColumns, toPlot } from './to-plot.ts';

describe('a run', () => {
  function setup(answer: (call: FakeCall) => unknown) {
    let nowMs = 1_000;
    const run = createSqlRun(createFakeCalls<ControlPaths>({ 'POST /v1/sql': answer }), () => (nowMs += 250));
    const statuses: string[] = [];
    run.subscribe(() => statuses.push(run.getState().status));
    return { run, statuses };
  }

  // Fails when the time isn't measured from the start of the query.
  test('has its rows and how long it took', async () => {
    const { run, statuses } = setup(({ body }) => [{ echo: body['query'] }]);
    expect(run.getState()).toMatchObject({ status: 'idle', rows: [] });
    await run.run('SELECT 1');
    expect(run.getState()).toEqual({
      ...{ status: 'done', query: 'SELECT 1', rows: [{ echo: 'SELECT 1' }] },
      ...{ error: undefined, tookMs: 250 },
    });
    expect(statuses).toEqual(['running', 'done']);
  });

  // Fails when the rows of the query before stay below the error.
  test('that fails has its error and no rows', async () => {
    let isBroken = false;
    const { run } = setup(() => {
      if (isBroken) throw createError('invalid', 'There is no column "x".');
      return [{ a: 1 }];
    });
    await run.run('SELECT a');
    isBroken = true;
    await run.run('SELECT x');
    expect(run.getState()).toMatchObject({ status: 'failed', query: 'SELECT x', rows: [], error: { code: 'invalid' } });
  });

  // Fails when canceling is an error to the person who asked for it.
  test('that is canceled ends without an error', async () => {
    const { run } = setup(
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    );
    const running = run.run('SELECT 1');
    run.cancel();
    await running;
    expect(run.getState()).toMatchObject({ status: 'cancelled', error: undefined });
    run.cancel();
    expect(run.getState().status).toBe('cancelled');
  });
});

describe('saved queries', () => {
  // Fails when two accounts share a list, or the order is that of saving.
  test('are those of one account, by name', () => {
    const storage = createMemoryStorage();
    const [ours, theirs] = [createSavedQueries('acc_1', storage), createSavedQueries('acc_2', storage)];
    for (const name of ['b', 'ä', 'a']) ours.keep({ name, query: `SELECT ${name}` });
    theirs.keep({ name: 'x', query: 'SELECT x' });
    expect(ours.list().map(({ name }) => name)).toEqual(['a', 'ä', 'b']);
    ours.keep({ name: 'b', query: 'SELECT new' });
    ours.remove('a');
    ours.remove('unknown');
    expect(ours.list()).toEqual([
      { name: 'ä', query: 'SELECT ä' },
      { name: 'b', query: 'SELECT new' },
    ]);
    expect(theirs.list()).toHaveLength(1);
  });
});

describe('the history', () => {
  const past = (query: string, changes = {}) => ({ query, atMs: 1, tookMs: 2, rows: 3, ...changes });

  // Fails when a query is listed twice, or a long one fills the storage.
  test('has the latest hundred queries, each once', () => {
    const history = createQueryHistory('acc_1', createMemoryStorage());
    for (let index = 0; index < 120; index++) history.add(past(`SELECT ${index}`));
    history.add(past('SELECT 50', { rows: undefined }));
    history.add(past('x'.repeat(20_001)));
    const list = history.list();
    expect(list).toHaveLength(100);
    expect(list.slice(0, 2).map(({ query, rows }) => [query, rows])).toEqual([
      ['SELECT 50', undefined],
      ['SELECT 119', 3],
    ]);
    history.clear();
    expect(history.list()).toEqual([]);
  });

  // Fails when a full storage keeps anyone from running a query.
  test('is given up where the storage is full', () => {
    const storage = createMemoryStorage();
    const history = createQueryHistory('acc_1', {
      ...storage,
      setItem() {
        throw new DOMException('full', 'QuotaExceededError');
      },
    });
    expect(() => history.add(past('SELECT 1'))).not.toThrow();
    expect(history.list()).toEqual([]);
  });

  test('leaves out what has another shape', () => {
    const stored = JSON.stringify([past('SELECT 1'), { query: 7 }, null, 'text']);
    const storage = createMemoryStorage(new Map([['berth.query-history.acc_1', stored]]));
    expect(createQueryHistory('acc_1', storage).list()).toEqual([past('SELECT 1')]);
  });
});

describe('sorting', () => {
  // Fails when a press doesn't lead back to the order of the answer.
  test('goes up, down, and back', () => {
    const up = nextOrder(undefined, 'n');
    const down = nextOrder(up, 'n');
    expect([up, down, nextOrder(down, 'n')]).toEqual([
      { name: 'n', isDown: false },
      { name: 'n', isDown: true },
      undefined,
    ]);
    expect(nextOrder(down, 'other')).toEqual({ name: 'other', isDown: false });
  });

  // Fails when decimals sort as text, or NULLs come first when sorting down.
  test.each<[boolean, unknown[]]>([
    [false, [-1, '9', '10.5', 'a', 'b', null]],
    [true, ['b', 'a', '10.5', '9', -1, null]],
  ])('down: %s', (isDown, expected) => {
    const rows = ['b', '10.5', null, '9', 'a', -1].map((n) => ({ n })) as SqlRow[];
    expect(sortRows(rows, { name: 'n', isDown }).map((row) => row['n'])).toEqual(expected);
    expect(sortRows(rows, undefined)).toBe(rows);
  });
});

describe('an error of the engine', () => {
  const error = (msg: string) => ({ details: { issues: [{ loc: ['body', 'query'], msg }] } });

  // Fails when the part of a long line that the engine draws is taken for the line's beginning.
  test('is found in a long line, of which only a part is drawn', () => {
    const query = `SELECT ${'a, '.repeat(60)} wrong_name FROM logs`;
    const part = query.slice(150, 200);
    const drawn = `Binder Error\n\nLINE 1: ...${part}...\n${' '.repeat('LINE 1: ...'.length + part.indexOf('wrong'))}^`;
    expect(readSqlProblem(error(drawn), query)).toEqual({ message: 'Binder Error', at: query.indexOf('wrong') });
  });

  // Fails when a drawing of another text marks a wrong word.
  test('has no position where the drawing is of another text', () => {
    const drawn = 'Binder Error\n\nLINE 1: INSERT other\n               ^';
    expect(readSqlProblem(error(drawn), 'SELECT this')).toEqual({ message: 'Binder Error', at: undefined });
  });

  // Fails when the word itself is offered, or an offer is repeated.
  test.each([
    ['Did you mean "severity"?', ['severity']],
    ['Candidate bindings: "severity", "service", "severity", "sev"', ['severity', 'service']],
    ['Candidate functions: "a", "b", "c", "d", "e"', ['a', 'b', 'c', 'd']],
    ['No idea.', []],
  ])('offers other names: %s', (message, names) => {
    const suggestions = readSuggestions({ message, at: 7 }, 'SELECT sev FROM logs');
    expect(suggestions.map(({ text }) => text)).toEqual(names);
    for (const { from, to } of suggestions) expect([from, to]).toEqual([7, 10]);
  });

  test('offers nothing without a word at its position', () => {
    expect(readSuggestions({ message: 'Did you mean "a"?', at: undefined }, 'x')).toEqual([]);
    expect(readSuggestions({ message: 'Did you mean "a"?', at: 1 }, '( )')).toEqual([]);
  });
});

describe('a plot', () => {
  const rows = [
    { day: '2026-01-02', city: 'b', n: 2, cost: '1.5' },
    { day: '2026-01-01', city: 'a', n: null, cost: '-2' },
  ] as SqlRow[];

  // Fails when text counts as numbers, or a column of NULLs as anything.
  test('offers its columns', () => {
    expect(findPlotColumns([...rows, { day: '2026-01-03', city: null, n: 1, cost: '0' }] as SqlRow[])).toEqual({
      x: ['day', 'city', 'n', 'cost'],
      series: ['n', 'cost'],
    });
    expect(findPlotColumns([{ a: null }] as SqlRow[]).series).toEqual([]);
  });

  // Fails when times aren't in order, or the scale leaves out zero.
  test('runs along time, with zero in its scale', () => {
    expect(toPlot(rows)).toEqual({
      x: { name: 'day', isTime: true, values: ['2026-01-01', '2026-01-02'] },
      series: [
        { name: 'n', values: [0, 2] },
        { name: 'cost', values: [-2, 1.5] },
      ],
      ...{ most: 2, least: -2, leftOut: 0 },
    });
    expect(toPlot([{ x: 'a', n: 5 }] as SqlRow[])).toMatchObject({ most: 5, least: 0 });
  });

  // Fails when a column is drawn against itself, or an unknown choice draws nothing.
  test.each([
    [{ x: 'n' }, 'n', ['cost']],
    [{ x: 'gone', series: ['gone'] }, 'day', ['n', 'cost']],
    [{ x: 'city', series: ['cost'] }, 'city', ['cost']],
    [{ x: 'cost', series: ['cost'] }, 'cost', ['n']],
  ])('of the choice %j', (choice, x, series) => {
    const plot = toPlot(rows, choice);
    expect([plot?.x.name, plot?.series.map(({ name }) => name)]).toEqual([x, series]);
  });

  test('has at most six series and two thousand points', () => {
    const wide = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`n${index}`, index]));
    const many = Array.from({ length: 2_500 }, (_, index) => ({ at: `row ${index}`, ...wide })) as SqlRow[];
    const plot = toPlot(many);
    expect([plot?.series.length, plot?.x.values.length, plot?.leftOut]).toEqual([6, 2_000, 500]);
    expect(toPlot([{ a: 'x' }] as SqlRow[])).toBeUndefined();
    expect(toPlot([{ n: 1 }] as SqlRow[])).toBeUndefined();
    expect(toPlot([])).toBeUndefined();
  });
});

// Fails when a relation of the guide is missing, or a column is listed twice.
test('relations have each column once', () => {
  expect(Object.keys(RELATIONS)).toEqual(['logs', 'billing']);
  for (const columns of Object.values(RELATIONS)) {
    expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
  }
});
