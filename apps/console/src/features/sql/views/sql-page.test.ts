// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { act, createElement } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../../testing/open-view.ts';
import { createSavedQueries } from '../state/saved-queries.ts';
import type { SqlEditor } from './sql-editor.tsx';
import { SqlPage } from './sql-page.tsx';

const SQL = 'POST /v1/sql';

// CodeMirror needs a browser that lays out text; tests/browser/sql.test.ts uses it.
vi.mock('./sql-editor.tsx', () => ({
  SqlEditor: ({ label, value, onChange, onSubmit, problem }: Parameters<typeof SqlEditor>[0]) => [
    createElement('textarea', {
      key: 'text',
      ...{ 'aria-label': label, value },
      onChange: (event: { readonly target: HTMLTextAreaElement }) => onChange(event.target.value),
      onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && event.ctrlKey && onSubmit(value),
    }),
    problem && createElement('p', { key: 'problem', role: 'alert' }, problem.message),
  ],
}));

beforeEach(() => {
  localStorage.clear();
});

async function open(answer: NonNullable<OpenSetup['answers']>[string] = () => [], at = '/sql') {
  const view = await openView(createElement(SqlPage), {
    address: at,
    cached: [[QUERY_KEYS.user, OWNER]],
    answers: { [SQL]: answer },
  });
  const field = () => view.field(say('sql.query'));
  await view.until(field);
  const run = async (query: string) => {
    await view.fill(field(), query);
    await view.press('Escape');
    await view.press('Enter', { ctrlKey: true });
  };
  return { view, field, run };
}

describe('a query', () => {
  // Fails when opening a link runs it: queries cost money.
  test('of a link is shown, and isn’t run', async () => {
    const { view, field } = await open(undefined, '/sql?query=SELECT%201');
    expect([field().value, view.calls]).toEqual(['SELECT 1', []]);
  });

  test('is run by Ctrl+Enter, and its link is the address', async () => {
    const { view, run } = await open(() => [{ n: 42 }]);
    await run('SELECT 42 AS n');
    expect(view.sent(SQL)).toEqual([{ query: 'SELECT 42 AS n' }]);
    expect(new URL(view.address(), 'http://berth.test').searchParams.get('query')).toBe('SELECT 42 AS n');
    expect(view.text()).toContain('1 row in');
  });

  test.each(['', '  \n'])('of nothing (%j) isn’t run', async (query) => {
    const { view, run } = await open();
    await run(query);
    expect(view.calls).toEqual([]);
    expect(view.get('button', say('sql.run')).matches(':disabled')).toBe(true);
  });

  // Fails when the rows of a query before stand beside the error.
  test('that fails says why, in place of earlier rows', async () => {
    let isRight = true;
    const { view, run } = await open(() => {
      if (!isRight) throw createError('invalid', 'The column nope is unknown.');
      return [{ n: 1 }];
    });
    await run('SELECT 1');
    expect(view.text()).toContain('1 row in');
    isRight = false;
    await run('SELECT nope');
    expect(view.all('alert').some(({ textContent }) => textContent.includes('The column nope is unknown.'))).toBe(true);
    expect(view.text()).not.toContain('1 row in');
  });
});

describe('a query that runs', () => {
  /** Answers that wait, and end with the call. */
  const openWaiting = async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const opened = await open(({ signal }) => {
      signals.push(signal);
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    });
    return { ...opened, signals };
  };

  // Fails when the server goes on with a query that nobody waits for.
  test('is canceled by its button', async () => {
    const { view, run, signals } = await openWaiting();
    await run('SELECT 1');
    await view.click(view.get('button', say('sql.cancel')));
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(view.text()).toContain(say('sql.cancelled'));
    expect(view.find('button', say('sql.run'))).toBeDefined();
  });

  test('ends with the page', async () => {
    const { view, run, signals } = await openWaiting();
    await run('SELECT 1');
    await view.render(null);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  // Fails when the answer of an earlier query replaces that of a later one.
  test('gives way to the next one', async () => {
    const { view, run, signals } = await openWaiting();
    await run('SELECT 1');
    await run('SELECT 2');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
    expect(view.text()).not.toContain(say('sql.cancelled'));
  });
});

describe('saved queries', () => {
  const kept = () => createSavedQueries('acc_1', localStorage).list();

  test('are kept under a name for this account, and run by a press', async () => {
    const { view, field } = await open();
    await view.fill(field(), 'SELECT 1');
    await view.click(view.get('button', say('account.save')));
    await view.fill(view.field(say('shell.name')), '  ');
    await view.press('Enter');
    expect(kept()).toEqual([]);
    await view.fill(view.field(say('shell.name')), ' daily ');
    await view.press('Enter');
    expect(kept()).toEqual([{ name: 'daily', query: 'SELECT 1' }]);
    await view.click(view.get('button', 'daily'));
    expect(view.sent(SQL)).toEqual([{ query: 'SELECT 1' }]);
  });

  // Fails when Undo brings another query back, or none.
  test('are removed at once, and come back by Undo', async () => {
    createSavedQueries('acc_1', localStorage).keep({ name: 'daily', query: 'SELECT 1' });
    const { view } = await open();
    await view.click(view.get('button', say('sql.remove', { name: 'daily' })));
    expect(kept()).toEqual([]);
    await view.click(view.get('button', say('sql.undo')));
    expect(kept()).toEqual([{ name: 'daily', query: 'SELECT 1' }]);
  });
});

describe('the history', () => {
  // Fails when choosing a past query runs it, or loses one that never came back.
  test('has what was run, newest first, and puts it back without running it', async () => {
    let isRight = true;
    const { view, run, field } = await open(() => {
      if (!isRight) throw createError('invalid', 'No.');
      return [];
    });
    await run('SELECT 1');
    isRight = false;
    await run('SELECT 2');
    await view.click(view.get('button', say('sql.history')));
    const entries = () => view.all('button', /^SELECT/).map(({ textContent }) => textContent.slice(0, 8));
    expect(entries()).toEqual(['SELECT 2', 'SELECT 1']);
    const [, first] = view.all('button', /^SELECT/);
    await act(async () => first?.click());
    await view.settle();
    expect([field().value, view.sent(SQL).length]).toEqual(['SELECT 1', 2]);
  });
});
