import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote, toCurl } from './to-curl.ts';

test('a call is a line', () => {
  expect(toCurl({ method: 'GET', path: '/v1/user' }, 'http://localhost:8787')).toBe(
    'curl http://localhost:8787/v1/user -H "X-API-Key: $BERTH_API_KEY"',
  );
  expect(toCurl({ method: 'POST', path: '/v1/a?b=1&c', body: { name: "it's" } }, 'http://x')).toBe(
    `curl -X POST 'http://x/v1/a?b=1&c' -H "X-API-Key: $BERTH_API_KEY" -H 'Content-Type: application/json' -d '{"name":"it'\\''s"}'`,
  );
  expect(toCurl({ method: 'POST', path: '/v1/deploy', form: { volumes: '{}', file: '@a.gz' } }, 'http://x')).toBe(
    `curl -X POST http://x/v1/deploy -H "X-API-Key: $BERTH_API_KEY" -F 'volumes={}' -F file=@a.gz`,
  );
  const headers = { 'X-Workspace': 't-1' };
  expect(toCurl({ method: 'PUT', path: '/files/a%20b', upload: 'a b', headers }, 'http://x', 'bearer')).toBe(
    `curl http://x/files/a%20b -H "Authorization: Bearer $BERTH_AGENT_TOKEN" -H 'X-Workspace: t-1' -T 'a b'`,
  );
  expect(toCurl({ method: 'GET', path: '/files/a', output: 'a' }, 'http://x', 'none')).toBe(
    'curl http://x/files/a -o a',
  );
});

test('a shell reads each word as it was', () => {
  const words = fc
    .sample(fc.string({ unit: 'binary' }), { numRuns: 200, seed: 1 })
    .map((word) => word.replaceAll(/[\0\uD800-\uDFFF]/g, ''));
  const hostile = [...words, '$(id)', '`id`', "'; id #", '"\\', '-n', '', '~', '*', 'a\nb'];
  const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s\\0' ${hostile.map(quote).join(' ')}`], {
    encoding: 'utf8',
  });
  expect(stdout.split('\0').slice(0, -1)).toEqual(hostile);
});
