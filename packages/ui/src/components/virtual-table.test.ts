// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { type Column, VirtualTable, type VirtualTableProps } from './virtual-table.tsx';

const COLUMNS: readonly Column<number>[] = [
  { title: 'Number', cell: (row) => `n${row}` },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (row) => createElement('button', { type: 'button' }, `Delete ${row}`),
  },
];

async function open(count: number, props: Partial<VirtualTableProps<number>> = {}) {
  const onEnd = vi.fn();
  const table = (length: number) => {
    const rows = Array.from({ length }, (_, index) => index);
    const about = { label: 'Numbers', rows, columns: COLUMNS, rowKey: String, onEnd };
    return createElement(VirtualTable<number>, { ...about, ...props });
  };
  const view = await mountPart(table(count));
  return { view, onEnd, grow: (length: number) => view.render(table(length)) };
}

describe('a long table', () => {
  // Fails when all rows are in the document: ten thousand of them would freeze the page.
  test('has only the rows near the viewport in the document', async () => {
    const { view } = await open(10_000);
    const rows = view.all('row');
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThan(60);
    expect(view.text()).toContain('n0');
    expect(view.text()).not.toContain('n100');
  });

  // Fails when a screen reader counts the rows that are rendered, or counts them from 0.
  test('tells how many rows there are, and which one is which', async () => {
    const { view } = await open(10_000);
    expect(view.get('table', 'Numbers').getAttribute('aria-rowcount')).toBe('10001');
    const indexes = view.all('row').map((row) => row.getAttribute('aria-rowindex'));
    expect(indexes.slice(0, 3)).toEqual(['1', '2', '3']);
  });

  test('shows other rows once they were scrolled to', async () => {
    const { view } = await open(10_000);
    vi.stubGlobal('scrollY', 40 * 5_000);
    await view.fire('scroll', {}, view.document.documentElement);
    await view.settle();
    vi.unstubAllGlobals();
    expect(view.text()).toContain('n5000');
    expect(view.text()).not.toContain('n0D');
  });
});

describe('the end of a table', () => {
  // Fails when the next page is asked for at once, or never.
  test('is told when it is near, and not before', async () => {
    expect((await open(10_000)).onEnd).not.toHaveBeenCalled();
    expect((await open(5)).onEnd).toHaveBeenCalledOnce();
  });

  // Fails when it is told of once only: a second page that fits the window would be the last one.
  test('is told again after more rows came that all fit', async () => {
    const { onEnd, grow } = await open(5);
    await grow(1_000);
    expect(onEnd).toHaveBeenCalledOnce();
    await grow(6);
    expect(onEnd).toHaveBeenCalledTimes(2);
  });

  test('of no rows is told as well', async () => {
    expect((await open(0)).onEnd).toHaveBeenCalledOnce();
  });
});

describe('columns', () => {
  // Fails when a column of buttons has no title for a screen reader.
  test('have their titles, also the ones that nobody sees', async () => {
    const { view } = await open(1);
    expect(view.all('columnheader').map(({ textContent }) => textContent)).toEqual(['Number', 'Actions']);
    expect(view.all('cell').map(({ textContent }) => textContent)).toEqual(['n0', 'Delete 0']);
  });

  // Fails when rows are rendered again although neither they nor the columns have changed.
  test('are rendered once for each row that stays', async () => {
    const cell = vi.fn((row: number) => `n${row}`);
    const { grow } = await open(3, { columns: [{ title: 'Number', cell }] });
    cell.mockClear();
    await grow(4);
    expect(cell.mock.calls).toEqual([[3]]);
  });
});
