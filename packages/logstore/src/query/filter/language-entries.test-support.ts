import type { StoredEntry } from '../../entry/log-entry.ts';
import { parseLine } from '../../output/parse-line.ts';

/** The seconds after 2023-11-29T23:00:00Z that an entry is of; its place among the entries. */
export function entry(place: number, fields: Partial<StoredEntry>): StoredEntry {
  const timestamp = `2023-11-29T23:00:0${place}.000000000Z`;
  const insertId = `tag${(BigInt(Date.parse(timestamp)) * 1_000_000n).toString(36)}`;
  return { timestamp, insertId, logName: 'stdout', severity: 'INFO', message: '', ...fields };
}

/** An entry that many nanoseconds after 2026-01-31T00:00:00Z. */
export function nanoEntry(place: number, fields: Partial<StoredEntry>): StoredEntry {
  const timestamp = `2026-01-31T00:00:00.00000000${place}Z`;
  const nanos = BigInt(Date.parse('2026-01-31T00:00:00Z')) * 1_000_000n + BigInt(place);
  const insertId = `tag${nanos.toString(36)}`;
  return { timestamp, insertId, logName: 'stdout', severity: 'INFO', message: '', ...fields };
}

/** The entry of a JSON line, as a program prints it. */
function line(place: number, payload: Record<string, unknown>, fields: Partial<StoredEntry> = {}): StoredEntry {
  const { timeMs: _, ...parsed } = parseLine(JSON.stringify(payload), 'stdout');
  return entry(place, { ...parsed, ...fields });
}

const HTTP = { requestSize: 120, responseSize: 4_096, protocol: 'HTTP/1.1' };

export const ENTRIES: readonly StoredEntry[] = [
  entry(0, { message: 'The dog in the hat', revision: 'shop-00001', instance: 'inst_1' }),
  line(1, {
    severity: 'ERROR',
    message: 'order failed',
    items: [
      { v: 'x', n: 1, tags: ['red', 'blue'] },
      { v: 'y', n: 20, parts: [{ id: 'p1' }, { id: 'p2' }] },
    ],
    actor: { displayName: 'Ann', emails: ['ann@example.com', 'a@example.org'] },
    'logging.googleapis.com/trace': 'projects/my-project/traces/06796866738c859f2f19b7cfb3214824',
    'logging.googleapis.com/spanId': '000000000000004a',
    'logging.googleapis.com/trace_sampled': true,
    'logging.googleapis.com/insertId': 'Own-Id-1',
    'logging.googleapis.com/labels': { 'k8s-pod/app': 'shop', team: 'ops' },
    'logging.googleapis.com/operation': { id: 'op-7', producer: 'github.com/shop', first: true },
    'logging.googleapis.com/sourceLocation': { file: 'cart.ts', line: 142, function: 'checkout' },
  }),
  entry(2, {
    logName: 'requests',
    severity: 'WARNING',
    message: 'GET /cart?id=5 404 12 ms',
    trace: '0af7651916cd43dd8448eb211c80319c',
    revision: 'shop-00002',
    httpRequest: {
      ...HTTP,
      method: 'GET',
      url: 'https://shop.example.com/cart?id=5',
      status: 404,
      latencyMs: 12.5,
      remoteIp: '10.1.2.3',
      userAgent: 'Mozilla/5.0 (X11)',
    },
  }),
  entry(3, {
    logName: 'requests',
    severity: 'CRITICAL',
    message: 'POST /pay 503 1500 ms',
    revision: 'shop-00002',
    httpRequest: {
      ...HTTP,
      method: 'POST',
      url: 'https://shop.example.com/pay',
      status: 503,
      latencyMs: 1_500,
      remoteIp: '2001:db8::1:2',
      userAgent: 'curl/8.5',
    },
  }),
  line(4, {
    message: 'took 250 ms',
    a: { b: { c: 5 } },
    count: '42',
    ratio: 0.75,
    ok: true,
    off: false,
    nothing: null,
    empty: [],
    ip: '192.168.10.77',
    list: [1, 'two', [3], { 0: 'zero' }],
    matrix: [[{ v: 'deep' }]],
    'a b': { 'c.d': 'quoted' },
  }),
  entry(5, { logName: 'stderr', severity: 'ALERT', message: 'unicorn phrase\nsecond "line"' }),
  entry(6, { logName: 'system', severity: 'NOTICE', message: 'instance started: first request', instance: 'inst_2' }),
];
