import { createElement } from 'react';
import { expect, test } from 'vitest';
import { setupView } from '../render-view.test-support.ts';
import { Loaded } from './loaded.tsx';

const { render } = setupView();
const REFUSED = new Error('The disk is full.');

function htmlOf(data: readonly string[] | undefined, error: Error | null = null): string {
  const query = { data, error, refetch: async () => ({}) as never };
  const children = (rows: readonly string[]) => createElement('p', null, `rows: ${rows.join(' ')}`);
  return render(createElement(Loaded<readonly string[]>, { query, rows: 3, empty: 'nothing yet', children }));
}

// Each row fails when the case before it is decided by something else: the error before the data, or the length alone.
test.each<[string, readonly string[] | undefined, Error | null, string[]]>([
  ['neither', undefined, null, ['role="status"']],
  ['an error', undefined, REFUSED, ['role="alert"', 'The disk is full.']],
  ['no rows', [], null, ['nothing yet']],
  ['rows', ['a', 'b'], null, ['rows: a b']],
  ['rows and the error of a later read', ['a'], REFUSED, ['rows: a']],
  ['no rows and the error of a later read', [], REFUSED, ['nothing yet']],
])('with %s', (_, data, error, shown) => {
  const html = htmlOf(data, error);
  const marks = ['role="status"', 'role="alert"', 'The disk is full.', 'nothing yet', 'rows: a b', 'rows: a'];
  const found = marks.filter((mark) => html.includes(mark) && !(mark === 'rows: a' && html.includes('rows: a b')));
  expect(found).toEqual(shown);
});

// Fails when `rows` isn't passed to the placeholder.
test('the placeholder has as many rows as are expected', () => {
  expect(htmlOf(undefined).match(/border-line/g)).toHaveLength(3);
});

// Fails when an empty list without `empty` renders nothing.
test('a list without an empty state is rendered when it is empty', () => {
  const query = { data: [], error: null, refetch: async () => ({}) as never };
  const children = (rows: readonly string[]) => createElement('p', null, `${rows.length} rows`);
  expect(render(createElement(Loaded<readonly string[]>, { query, rows: 1, children }))).toContain('0 rows');
});
