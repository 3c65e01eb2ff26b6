import { SEVERITIES } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredEntry } from '../../entry/log-entry.ts';
import { createEntryTable, type EntryTable, TABLE_SCOPE } from '../../testing/entry-table.ts';
import { mayHold } from '../segments-within.ts';
import { createPredicate } from './create-predicate.ts';
import { boundsOf } from './filter-bounds.ts';
import { nanoEntry as entry } from './language-entries.test-support.ts';
import type { LogFilter } from './log-filter.ts';
import { parseFilter } from './parse-filter.ts';

const HTTP = { requestSize: 10, responseSize: 2_000, userAgent: 'Mozilla/5.0 (X11)', protocol: 'HTTP/1.1' };

const ENTRIES: readonly StoredEntry[] = [
  entry(0, { message: 'The cat in the HAT', revision: 'shop-00001', instance: 'inst_1' }),
  entry(1, { message: 'order paid', severity: 'ERROR', jsonPayload: { message: 'order paid', user_id: 'U-7', n: 5 } }),
  entry(2, {
    logName: 'requests',
    severity: 'WARNING',
    message: 'GET /cart?id=5 404 12 ms',
    trace: '0af7651916cd43dd8448eb211c80319c',
    httpRequest: { ...HTTP, method: 'GET', url: '/cart?id=5', status: 404, latencyMs: 12.5, remoteIp: '10.0.0.9' },
  }),
  entry(3, {
    message: '{}',
    jsonPayload: { n: '5', deep: { list: ['Red', 2, true, null], gone: null, ok: true }, 'a b': { 'c/d~e': 'x' } },
    labels: { 'k8s.io/name': 'Blue', team: 'ops' },
  }),
  entry(4, {
    logName: 'requests',
    severity: 'ERROR',
    message: 'POST /pay 503 1500 ms (cold start 80 ms)',
    httpRequest: {
      ...HTTP,
      method: 'POST',
      url: '/pay',
      status: 503,
      latencyMs: 1_500,
      remoteIp: '::1',
      coldStart: { queuedMs: 3 },
    },
  }),
  entry(5, { severity: 'EMERGENCY', message: 'İstanbul ΣΑΣ "quoted"\nsecond line', logName: 'stderr' }),
];

test('without a filter every entry fits', () => {
  expect(ENTRIES.map(createPredicate(undefined, TABLE_SCOPE))).toEqual(ENTRIES.map(() => true));
});

describe('both evaluators give the published answers', () => {
  let table: EntryTable | undefined;
  beforeAll(async () => {
    table = await createEntryTable(ENTRIES);
  });
  afterAll(() => table?.[Symbol.asyncDispose]());

  test.each<[filter: string, places: number[]]>([
    ['severity>=ERROR', [1, 4, 5]],
    ['severity>=error AND severity<EMERGENCY', [1, 4]],
    ['severity=(INFO OR 400)', [0, 2, 3]],
    ['severity!=INFO', [1, 2, 4, 5]],
    ['severity=~"^E"', [1, 4, 5]],
    ['"the cat in the hat"', [0]],
    ['cat hat', [0]],
    ['NOT textPayload:cat', [1, 2, 3, 4, 5]],
    ['textPayload!="x"', [0, 5]],
    ['textPayload:*', [0, 5]],
    ['textPayload=~"c.t"', [0]],
    ['textPayload=~"hat"', []],
    ['textPayload=~"(?i)hat$"', [0]],
    ['textPayload!~"hat"', [0, 5]],
    ['jsonPayload.user_id="u-7"', [1]],
    ['severity>=ERROR AND jsonPayload.user_id="U-7"', [1]],
    ['jsonPayload.user_id:"-"', [1]],
    ['jsonPayload.n=5', [1, 3]],
    ['jsonPayload.n="5"', [1, 3]],
    ['jsonPayload.n>4.5', [1, 3]],
    ['jsonPayload.n<=10', [1]],
    ['jsonPayload.n=~"^\\d$"', [1, 3]],
    ['jsonPayload.n!=5', []],
    ['jsonPayload.deep.list=red', [3]],
    ['jsonPayload.deep.list=2', [3]],
    ['jsonPayload.deep.list=~"^R"', [3]],
    ['jsonPayload.deep.list:"ed"', [3]],
    ['jsonPayload.deep.list.0="red"', [3]],
    ['jsonPayload.deep.ok=true', [3]],
    ['jsonPayload.deep.gone=NULL_VALUE', [3]],
    ['jsonPayload.deep.gone!=x', [3]],
    ['jsonPayload.deep.missing!=x', []],
    ['NOT jsonPayload.deep.missing=x', [0, 1, 2, 3, 4, 5]],
    ['jsonPayload.deep:*', [3]],
    ['jsonPayload:*', [1, 3]],
    ['jsonPayload:"u-7"', [1]],
    ['json_payload."a b"."c/d~e"=x', [3]],
    ['labels."k8s.io/name"=blue', [3]],
    ['labels.team:*', [3]],
    ['labels:ops', [3]],
    ['httpRequest.status>=500', [4]],
    ['httpRequest.status!=404', [4]],
    ['httpRequest.status=(404 OR 503)', [2, 4]],
    ['httpRequest.latency>="1s"', [4]],
    ['httpRequest.latency<20ms', [2]],
    ['http_request.request_method=get', [2]],
    ['httpRequest.requestUrl:"/CART"', [2]],
    ['httpRequest:mozilla', [2, 4]],
    ['httpRequest.coldStart.queuedMs>=3', [4]],
    ['httpRequest.coldStart:*', [4]],
    ['mozilla', [2, 4]],
    ['10.0.0.9', [2]],
    ['trace="0AF7651916CD43DD8448EB211C80319C"', [2]],
    ['trace:*', [2]],
    ['0af7651916cd43dd8448eb211c80319c', [2]],
    ['logName=requests -httpRequest.status=404', [4]],
    ['resource.type="cloud_run_revision" resource.labels.service_name="shop"', [0, 1, 2, 3, 4, 5]],
    ['resource.labels.revision_name="shop-00001"', [0]],
    ['resource.labels.instance_id:*', [0]],
    ['shop', [0, 1, 2, 3, 4, 5]],
    ['sho', []],
    ['timestamp>"2026-01-31T00:00:00.000000003Z"', [4, 5]],
    ['timestamp<="2026-01-31T01:00:00+01:00"', [0]],
    ['timestamp>=2026-01-31', [0, 1, 2, 3, 4, 5]],
    ['timestamp<"0001-01-01T00:00:00Z" OR timestamp>"9999-01-01T00:00:00Z"', []],
    ['istanbul σας', []],
    ['istanbul σασ', [5]],
    ['"\\"quoted\\"\\nsecond"', [5]],
    ['textPayload=~"^second"', []],
    ['textPayload=~"(?m)^second"', [5]],
    ['textPayload=~"quoted.+second"', []],
    ['SEARCH("HAT the")', [0]],
    ['SEARCH("ha")', []],
    ['SEARCH("`in the hat`")', [0]],
    ['SEARCH("`in hat`")', []],
    ['SEARCH(jsonPayload.user_id, "u")', [1]],
    ['SEARCH(jsonPayload, "red ops")', []],
    ['SEARCH("red ops")', [3]],
    [`insertId="${ENTRIES[3]?.insertId}"`, [3]],
    // A word without a field: in the payload, in the labels, a severity, an id.
    ['deep', [3]],
    ['blue', [3]],
    ['emergency', [5]],
    ['emergenc', []],
    [`${ENTRIES[2]?.insertId}`, [2]],
    ['jsonPayload:ops', []],
    ['labels:red', []],
    ['severity=~"^x"', []],
    // Not ids of this log: another log's, one with a leading zero, a sign, too many digits, more than 63 bits.
    [`insertId="gat${ENTRIES[3]?.insertId.slice(3)}"`, []],
    [`insertId="tag0${ENTRIES[3]?.insertId.slice(3)}"`, []],
    ['insertId="tag5!"', []],
    ['insertId="tag!5"', []],
    ['insertId="tag"', []],
    ['insertId="tagzzzzzzzzzzzzz"', []],
    [`insertId="tag${'1'.repeat(20)}"`, []],
  ])('%s', async (filter, places) => {
    const tree = parseFilter(filter) as LogFilter;
    const fits = createPredicate(tree, TABLE_SCOPE);
    expect(ENTRIES.flatMap((one, place) => (fits(one) ? [place] : []))).toEqual(places);
    expect(await table?.select(tree)).toEqual(places);
  });
});

test.each([
  ['severity>=ERROR', [true, false, false, false]],
  ['severity=ERROR AND timestamp<"2026-01-31T00:00:02Z"', [true, false, false, false]],
  ['timestamp>"2026-01-31T00:00:02Z"', [false, true, true, true]],
  ['timestamp>"2026-01-31T00:00:02Z" severity=INFO', [false, true, false, false]],
  ['timestamp>"2026-01-31T00:00:02Z" OR severity>=ERROR', [true, true, true, true]],
  ['NOT severity>=ERROR', [true, true, true, true]],
  ['a', [true, true, true, true]],
])('%s passes over segments that hold nothing for it', (query, expected) => {
  const bit = (severity: (typeof SEVERITIES)[number]) => 1 << SEVERITIES.indexOf(severity);
  const time = (second: number) => `2026-01-31T00:00:0${second}.000000000Z`;
  const segments = [
    { startsAt: time(0), endsAt: time(1), rows: 2, severities: bit('INFO') | bit('ERROR') },
    { startsAt: time(2), endsAt: time(3), rows: 2, severities: bit('INFO') },
    { startsAt: time(4), endsAt: time(5), rows: 2, severities: bit('WARNING') },
    // Of entries without a known severity.
    { startsAt: time(6), endsAt: time(7), rows: 2, severities: 0 },
  ];
  expect(segments.map((segment) => mayHold(segment, boundsOf(parseFilter(query))))).toEqual(expected);
});
