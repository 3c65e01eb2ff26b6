import { expect, test } from 'vitest';
import { createFieldTally, type TalliedEntry } from './create-field-tally.ts';

const printed = (jsonPayload: Record<string, unknown>): TalliedEntry => ({
  logName: 'stdout',
  severity: 'INFO',
  jsonPayload,
});

test('names that are data, values without end and long texts are bounded, and said to be', () => {
  const tally = createFieldTally();
  for (let n = 0; n < 1_000; n++) tally.add(printed({ id: n, [`key-${n}`]: 1, text: 'x'.repeat(500) }));
  const { fields, entries } = tally.result(false);
  expect(entries).toBe(1_000);
  expect(fields.length).toBe(300);
  const of = (name: string) => fields.find((field) => field.name === name);
  expect(of('jsonPayload.id')).toMatchObject({ entries: 1_000, hasMore: true });
  expect(of('jsonPayload.id')?.values.length).toBe(200);
  expect(of('jsonPayload.text')).toEqual({ name: 'jsonPayload.text', entries: 1_000, values: [], hasMore: true });
});

test('lists, depth and what is empty are read as the filter language reads them', () => {
  const tally = createFieldTally();
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
  tally.add(printed({ tags: ['x', 'y', 'x'], items: [{ sku: 's' }, { sku: 't' }], none: null, empty: {}, ...deep }));
  const { fields } = tally.result(true);
  expect(fields.map(({ name }) => name).filter((name) => name.startsWith('json'))).toEqual([
    'jsonPayload.tags',
    'jsonPayload.items.0.sku',
  ]);
  expect(fields.find(({ name }) => name === 'jsonPayload.tags')).toMatchObject({
    entries: 1,
    values: [
      { value: 'x', entries: 1 },
      { value: 'y', entries: 1 },
    ],
  });
});

test('two tallies make one', () => {
  const one = createFieldTally();
  const other = createFieldTally();
  one.add(printed({ a: 1 }));
  other.add(printed({ a: 1 }));
  other.add(printed({ a: '1' }));
  one.merge(other.result(false));
  expect(one.entries).toBe(3);
  expect(one.result(false).fields.find(({ name }) => name === 'jsonPayload.a')).toMatchObject({
    entries: 3,
    values: [
      { value: 1, entries: 2 },
      { value: '1', entries: 1 },
    ],
  });
});
