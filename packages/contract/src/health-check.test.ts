import { describe, expect, test } from 'vitest';
import { parseHealthCheck } from './health-check.ts';
import { HEALTH_DEFAULTS, LIMITS } from './limits.ts';

const issuesOf = (text: string) => {
  const parsed = parseHealthCheck(text);
  return 'issues' in parsed ? parsed.issues.map(({ loc }) => loc.join('.')) : parsed;
};

describe('the field of a deploy', () => {
  // Fails when a form that always sends the field can't turn the check off.
  test.each(['', '  ', 'null', '{}', ' { } '])('%j is no check', (text) => {
    expect(parseHealthCheck(text)).toEqual({ health: null });
  });

  test('is a path with the defaults, or an object with its own numbers', () => {
    const { interval, timeout } = HEALTH_DEFAULTS;
    expect(parseHealthCheck(' /healthz?deep=1 ')).toEqual({ health: { path: '/healthz?deep=1', interval, timeout } });
    const { healthIntervalSecondsMax: most, healthTimeoutSecondsMin: least } = LIMITS;
    const text = JSON.stringify({ path: '/', interval: most, timeout: least });
    expect(parseHealthCheck(text)).toEqual({ health: { path: '/', interval: most, timeout: least } });
  });

  // Fails when such a path is put into a request line: a space or a line break would end it early.
  test.each(['/a b', '/a#b', '/a\r\nx: y', '/ü', '/a\0', `/${'x'.repeat(LIMITS.healthPathCharacters)}`])(
    'the path %j is refused',
    (path) => {
      expect(issuesOf(JSON.stringify({ path }))).toEqual(['body.health.path']);
    },
  );

  // Fails when only the first fault is named, or a bound is off by one.
  test('every fault is named in its place', () => {
    const { healthIntervalSecondsMin: least, healthTimeoutSecondsMax: most } = LIMITS;
    const wrong = { path: 'x', interval: least - 1, timeout: most + 1 };
    expect(issuesOf(JSON.stringify(wrong))).toEqual([
      'body.health.path',
      'body.health.interval',
      'body.health.timeout',
    ]);
    expect(issuesOf('{"path":"/","interval":1.5}')).toEqual(['body.health.interval']);
    expect(issuesOf('{"interval":5}')).toEqual(['body.health.path']);
    for (const text of ['healthz', '{', 'a"']) expect(issuesOf(text)).toEqual(['body.health']);
    for (const text of ['[]', '5', '"x"', 'true', '[{"path":"/"}]']) {
      expect([text, issuesOf(text)]).toEqual([text, ['body.health']]);
    }
  });
});
