import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEntryTable, type EntryTable, TABLE_SCOPE } from '../../testing/entry-table.ts';
import { createPredicate } from './create-predicate.ts';
import { NUMBERS, TEXTS } from './field-table.ts';
import { TABLE } from './language.test-support.ts';
import { ENTRIES, entry } from './language-entries.test-support.ts';
import type { LogFilter } from './log-filter.ts';
import { parseFilter } from './parse-filter.ts';

let table: EntryTable | undefined;
beforeAll(async () => {
  table = await createEntryTable(ENTRIES);
});
afterAll(() => table?.[Symbol.asyncDispose]());

// Fails when readPayload or writeThroughLists no longer passes through lists.
describe.each(TABLE)('%s', (_, cases) => {
  test.each(cases)('%s', async (filter, places) => {
    const tree = parseFilter(filter) as LogFilter;
    const fits = createPredicate(tree, TABLE_SCOPE);
    expect(ENTRIES.flatMap((one, place) => (fits(one) ? [place] : []))).toEqual(places);
    expect(await table?.select(tree)).toEqual(places);
  });
});

// Fails when `protocol` names the column of another field, or reads another property of the entry.
test.each([...Object.entries(TEXTS), ...Object.entries(NUMBERS)])(
  '%s reads the same value in both forms',
  async (name, source) => {
    const values = ENTRIES.map((one) => source.read(one, TABLE_SCOPE));
    expect(values.some((value) => value !== undefined)).toBe(true);
    for (const wanted of new Set(values)) {
      if (wanted === undefined) continue;
      const places = values.flatMap((value, place) => (value === wanted ? [place] : []));
      for (const path of source.paths) {
        const tree = parseFilter(
          `${path}=${JSON.stringify(name === 'latencyMs' ? `${wanted}ms` : String(wanted))}`,
        ) as LogFilter;
        const fits = createPredicate(tree, TABLE_SCOPE);
        expect(ENTRIES.flatMap((one, place) => (fits(one) ? [place] : []))).toEqual(places);
        expect(await table?.select(tree)).toEqual(places);
      }
    }
  },
);

test('the table is whole', () => {
  expect(TABLE.flatMap(([, cases]) => cases).length).toBeGreaterThanOrEqual(250);
});

test('a sample is the same each time, of both evaluators, and about as large as asked', async () => {
  const entries = Array.from({ length: 400 }, (_, place) => ({
    ...entry(0, { message: `line ${place}` }),
    timestamp: `2023-11-29T23:00:00.${String(place).padStart(9, '0')}Z`,
  }));
  await using many = await createEntryTable(entries);
  const tree = parseFilter('sample(message, 0.25)') as LogFilter;
  const fits = createPredicate(tree, TABLE_SCOPE);
  const places = entries.flatMap((one, place) => (fits(one) ? [place] : []));
  expect(await many.select(tree)).toEqual(places);
  expect(places.length).toBeGreaterThan(60);
  expect(places.length).toBeLessThan(140);
});

// Fails when the comparison includes the bound: `<=` in compileText.
test('a sample ends before the entry whose hash is its bound', async () => {
  const one = entry(0, { message: 'line 7' });
  await using alone = await createEntryTable([one]);
  const hash = Number.parseInt(createHash('md5').update(one.message).digest('hex').slice(0, 8), 16);
  for (const [part, places] of [
    [hash / 2 ** 32, []],
    [(hash + 1) / 2 ** 32, [0]],
  ] as const) {
    const tree = parseFilter(`sample(message, ${part})`) as LogFilter;
    expect(await alone.select(tree)).toEqual(places);
    expect(createPredicate(tree, TABLE_SCOPE)(one)).toBe(places.length === 1);
  }
});

test.each([
  ['nothing_like_it("x")', 'no such function: "nothing_like_it"', 1],
  ['source("folders/1")', 'no such function: "source"', 1],
  ['log_id(stdout)', 'expected quoted text', 8],
  ['log_id("stdout"', 'expected a closing parenthesis', 16],
  ['ip_in_net(httpRequest.remoteIp, "10.0.0.0/33")', 'expected a network', 33],
  ['ip_in_net(httpRequest.remoteIp, "ten")', 'expected a network', 33],
  ['ip_in_net(httpRequest.status, "10.0.0.0/8")', 'expected a text field', 11],
  ['ip_in_net("10.0.0.0/8")', 'expected a field', 11],
  ['sample(insertId, 2)', 'expected a fraction from 0 to 1', 18],
  ['sample(insertId, ten)', 'expected a fraction from 0 to 1', 18],
  ['sample(severity, 0.5)', 'expected a text field', 8],
  ['sample(jsonPayload, 0.5)', 'expected a text field', 8],
  ['SEARCH(httpRequest, "x")', 'expected a text field', 21],
  ['SEARCH(httpRequest.status, "x")', 'expected a text field', 28],
  ['cast(timestamp, DURATION) = 1', 'expected a type', 17],
  ['cast(httpRequest.latency, TIMESTAMP) > 1', 'expected a type', 27],
  ['jsonPayload.a > NULL_VALUE', 'expected = or != before NULL_VALUE', 17],
  ['labels = "x"', 'expected a field inside', 10],
  ['httpRequest = "x"', 'expected a field inside', 15],
  ['resource.labels > "x"', 'expected a field inside', 19],
  ['httpRequest.coldStart:x', 'expected a field inside', 23],
  ['cast(jsonPayload.x, UUID) = 1', 'expected a type, one of STRING, BOOL', 21],
  ['cast(timestamp, STRING, TZ("Asia/Tokyo")) =~ "x"', 'only UTC', 23],
  ['cast(jsonPayload.x, INTEGER)', 'expected a comparison after cast', 29],
  ['cast(jsonPayload.x, INTEGER) = ten', 'expected a number', 32],
  ['regexp_extract(textPayload, "dog") = "dog"', 'expected one group', 29],
  ['regexp_extract(textPayload, "(a)(b)") = "dog"', 'expected one group', 29],
  ['regexp_extract(textPayload, "(") = "dog"', 'regular expression is invalid', 29],
  ['regexp_extract(jsonPayload, "(a)") = "a"', 'expected a field with text', 16],
])('%s is refused at its column', (filter, words, column) => {
  let message = '';
  try {
    parseFilter(filter);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain(words);
  expect(message).toMatch(new RegExp(`at column ${column}$`));
});
