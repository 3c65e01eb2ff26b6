import { SEVERITIES } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogInput, StoredEntry } from '../../entry/log-entry.ts';
import { encodeBody, encodeLine } from '../../lines/record-line.ts';
import { createTokenTest } from '../../processes/log-engine/index-tokens.ts';
import { createEntryTable, TABLE_SCOPE } from '../../testing/entry-table.ts';
import type { TokenFilter } from '../../tokens/token-filter.ts';
import { mayHold } from '../segments-within.ts';
import { createPredicate } from './create-predicate.ts';
import { boundsOf, createLineGuard } from './filter-bounds.ts';
import { nanoEntry as entry } from './language-entries.test-support.ts';
import type { LogFilter } from './log-filter.ts';
import { parseFilter } from './parse-filter.ts';
import { requiredTokens } from './required-tokens.ts';

test('both evaluators agree on any filter and any entries', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEntry, { minLength: 1, maxLength: 8 }),
      fc.array(anyFilter, { minLength: 20, maxLength: 20 }),
      async (inputs, filters) => {
        const entries = inputs.map((fields, place) => entry(place, fields));
        await using table = await createEntryTable(entries);
        const tokenFilters = await table.tokenFilters();
        for (const filter of filters) {
          const tree = parseFilter(filter) as LogFilter;
          const fits = createPredicate(tree, TABLE_SCOPE);
          const places = entries.flatMap((one, place) => (fits(one) ? [place] : []));
          expect({ filter, places: await table.select(tree) }).toEqual({ filter, places });
          const tokens = requiredTokens(tree, { deployment: TABLE_SCOPE.deployment, scopeTag: 'tag' });
          const mayHave = tokens ? createTokenTest(tokens) : () => true;
          const guard = createLineGuard(boundsOf(tree), tokens);
          const skipped = places.filter(
            (place) => !mayHave(tokenFilters[place] as TokenFilter) || !guard(lineOf(entries[place] as StoredEntry)),
          );
          expect({ filter, skipped }).toEqual({ filter, skipped: [] });
          for (const place of places)
            expect({ filter, place, mayHold: mayHoldEntry(entries[place], tree) }).toMatchObject({ mayHold: true });
        }
      },
    ),
    { numRuns: 40 },
  );
});

function lineOf({ timestamp, insertId: _, ...input }: StoredEntry): Buffer {
  return Buffer.from(encodeLine(timestamp, encodeBody(input as LogInput)));
}

/** Whether a segment of nothing but this entry would be read. */
function mayHoldEntry(one: StoredEntry | undefined, filter: LogFilter): boolean {
  if (!one) return false;
  const severities = 1 << SEVERITIES.indexOf(one.severity);
  return mayHold({ startsAt: one.timestamp, endsAt: one.timestamp, rows: 1, severities }, boundsOf(filter));
}

const word = fc.constantFrom(
  'a',
  'B',
  'ab',
  'É',
  'é',
  'Σ',
  '5',
  '5.0',
  '-1',
  'true',
  'False',
  'null',
  '😀',
  'ｚ',
  '"',
  '\\',
  '\n',
  '/',
  '~',
  '%',
  '_',
  '',
  ' ',
  'panic',
  'timeouts',
  '\u212a',
  '1234567',
  'K',
);
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(''));
const scalar = fc.oneof(
  text,
  fc.integer({ min: -6, max: 6 }),
  fc.double({ noNaN: true, min: -1e20, max: 1e20 }),
  fc.boolean(),
  fc.constant(null),
);
const key = fc.constantFrom('a', 'b', 'A', 'a b', 'c/d', '~', '0', 'é');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  ),
})).any;
const payload = fc.dictionary(key, value, { maxKeys: 4 }) as fc.Arbitrary<Record<string, unknown>>;
const http = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  url: text,
  status: fc.integer({ min: 100, max: 599 }),
  latencyMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  requestSize: fc.nat(),
  responseSize: fc.nat(),
  remoteIp: fc.constantFrom('::1', '10.0.0.1'),
  userAgent: text,
  protocol: fc.constant('HTTP/1.1'),
});
const anyEntry = fc.record(
  {
    message: text,
    severity: fc.constantFrom('DEFAULT', 'INFO', 'ERROR', 'EMERGENCY'),
    logName: fc.constantFrom('stdout', 'stderr', 'system'),
    jsonPayload: payload,
    httpRequest: http,
    revision: text,
    trace: text,
    labels: fc.dictionary(key, text, { maxKeys: 3 }),
  },
  { requiredKeys: ['message', 'severity', 'logName'] },
) as fc.Arbitrary<Partial<StoredEntry>>;

const quoted = (inner: string) => `"${inner.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
const literal = fc.oneof(text.map(quoted), fc.constantFrom('5', '-1', '0.5', 'true', 'NULL_VALUE', '1e3'));
const path = fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => `jsonPayload.${keys.map(quoted).join('.')}`);
const textField = fc.oneof(
  fc.constantFrom('textPayload', 'message', 'trace', 'logName', 'httpRequest.url', 'resource.labels.revision_name'),
  key.map((name) => `labels.${quoted(name)}`),
);
const operator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=', ':');
const pattern = fc.constantFrom(
  'a',
  '^a',
  'b$',
  '.',
  '^.$',
  '[^a]',
  '\\\\d',
  '(?i)É',
  'a|5',
  '^$',
  '\\\\s',
  '\\\\W',
  '\\\\pL',
);
const notNull = literal.filter((one) => one !== 'NULL_VALUE');
const term = fc.oneof(
  fc.tuple(path, operator, notNull).map((parts) => parts.join('')),
  fc.tuple(path, fc.constantFrom('=', '!='), literal).map((parts) => parts.join('')),
  fc.tuple(textField, operator, notNull).map((parts) => parts.join('')),
  fc
    .tuple(fc.oneof(path, textField), fc.constantFrom('=~', '!~'), pattern)
    .map(([field, op, regex]) => `${field}${op}"${regex}"`),
  fc.oneof(path, textField, fc.constantFrom('jsonPayload', 'labels', 'httpRequest')).map((field) => `${field}:*`),
  fc
    .tuple(fc.constantFrom('jsonPayload', 'labels', 'httpRequest'), text)
    .map(([field, wanted]) => `${field}:${quoted(wanted)}`),
  fc
    .tuple(
      fc.constantFrom('httpRequest.status', 'httpRequest.responseSize'),
      operator,
      fc.integer({ min: 0, max: 600 }),
    )
    .map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('httpRequest.latency'), operator, fc.nat(1000)).map((parts) => `${parts.join('')}s`),
  fc.tuple(operator, fc.constantFrom('INFO', 'ERROR', 'ALERT')).map((parts) => `severity${parts.join('')}`),
  fc.tuple(operator, fc.nat(8)).map(([op, nano]) => `timestamp${op}"2026-01-31T00:00:00.00000000${nano}Z"`),
  text.map(quoted),
  fc.constantFrom(
    'SEARCH("a")',
    'SEARCH("panic")',
    'SEARCH(labels."a", "panic")',
    'SEARCH("shop 1234567")',
    'SEARCH(jsonPayload.a, "timeouts")',
    'shop',
    '1234567',
    'timeout',
    '"tag1"',
    'SEARCH("B 5")',
    'SEARCH(jsonPayload.a, "ab")',
    'SEARCH(labels, "é")',
    'SEARCH("`a 5`")',
  ),
);
const anyFilter = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    term,
    fc.tuple(tie('filter'), fc.constantFrom(' AND ', ' OR ', ' '), tie('filter')).map((parts) => `(${parts.join('')})`),
    tie('filter').map((inner) => `NOT (${inner})`),
  ),
})).filter;
