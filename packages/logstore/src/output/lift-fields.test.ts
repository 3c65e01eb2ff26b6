import { describe, expect, test } from 'vitest';
import { liftFields } from './lift-fields.ts';
import { parseLine } from './parse-line.ts';

describe('what a JSON line tells of its entry', () => {
  test.each<[payload: Record<string, unknown>, fields: object]>([
    [{ time: '2026-01-31T01:00:00.25+01:00' }, { timeMs: Date.parse('2026-01-31T00:00:00.250Z') }],
    [{ timestamp: '2026-01-31T00:00:00Z', time: 'noon' }, { timeMs: Date.parse('2026-01-31T00:00:00Z') }],
    [{ 'logging.googleapis.com/trace': 'projects/p/traces/abc' }, { trace: 'abc' }],
    [{ trace: 'abc' }, { trace: 'abc' }],
    [{ labels: { team: 'ops', n: 5 } }, { labels: { team: 'ops' } }],
    [{ time: 5, trace: '', labels: ['x'], httpRequest: 'GET /' }, {}],
    [{ trace: 'x'.repeat(300), labels: {}, httpRequest: { requestMethod: 'GET' } }, {}],
    [
      {
        httpRequest: {
          requestMethod: 'GET',
          requestUrl: '/x',
          status: 200,
          latency: '0.25s',
          requestSize: '12',
          responseSize: -3,
          remoteIp: '::1',
        },
      },
      {
        httpRequest: {
          method: 'GET',
          url: '/x',
          status: 200,
          latencyMs: 250,
          requestSize: 12,
          responseSize: 0,
          remoteIp: '::1',
          userAgent: '',
          protocol: '',
        },
      },
    ],
  ])('%j', (payload, fields) => {
    expect(liftFields(payload)).toEqual(fields);
  });

  test('is in the entry, and stays in the payload', () => {
    const payload = { message: 'hi', trace: 'abc', labels: { team: 'ops' } };
    expect(parseLine(JSON.stringify(payload), 'stdout')).toEqual({
      severity: 'INFO',
      message: 'hi',
      jsonPayload: payload,
      trace: 'abc',
      labels: { team: 'ops' },
    });
  });
});
