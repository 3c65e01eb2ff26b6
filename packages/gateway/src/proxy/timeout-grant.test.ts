import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { body, get, withApp } from '../testing/wire-exchange.ts';
import { readTimeout, signTimeout, TIMEOUT_HEADER } from './timeout-grant.ts';

const grant = { deployment: 'hello', timeoutMs: 60_000, expiresAtMs: 1_000 };

test('grants what was signed, to that deployment, while it holds', () => {
  const value = signTimeout('secret', grant);
  expect(readTimeout('secret', value, 'hello', 1_000)).toBe(60_000);
  expect(readTimeout('secret', value, 'hello', 1_001)).toBeUndefined();
  expect(readTimeout('secret', value, 'other', 0)).toBeUndefined();
  expect(readTimeout('another', value, 'hello', 0)).toBeUndefined();
});

test.each([
  '',
  '60000',
  '60000.1000.',
  `60000.1000.${'A'.repeat(43)}`,
  signTimeout('secret', grant).replace('60000', '90000'),
  signTimeout('secret', grant).replace('.1000.', '.9999.'),
  `${signTimeout('secret', grant)}, ${signTimeout('secret', grant)}`,
  `-1${signTimeout('secret', grant)}`,
])('grants nothing for %j', (value) => {
  expect(readTimeout('secret', value, 'hello', 0)).toBeUndefined();
});

test('a signed request outlasts the timeout of its service; one that is not is cut off; neither header goes on', async () => {
  const heads: string[] = [];
  const waiting: (() => void)[] = [];
  await using fixture = await withApp(
    (request, response) => {
      heads.push(request.rawHeaders.join('\n').toLowerCase());
      waiting.push(() => void response.end('done'));
    },
    { secret: 'secret', target: { timeoutMs: 300 } },
  );
  const line = (value: string) => `${TIMEOUT_HEADER}: ${value}\r\n`;
  const signed = signTimeout('secret', {
    deployment: 'hello',
    timeoutMs: 60_000,
    expiresAtMs: Date.now() + 60_000,
  });
  const granted = fixture.exchange(get('/granted', line(signed)));
  await waitUntil('it has arrived', () => waiting.length === 1);
  // The other one, sent later and cut off, tells that the service's timeout has passed.
  expect(await fixture.exchange(get('/forged', line(`60000.${Date.now() + 60_000}.${'A'.repeat(43)}`)))).toMatch(
    /^HTTP\/1\.1 504 /,
  );
  for (const finish of waiting) finish();
  expect(body(await granted)).toContain('done');
  expect(heads).toHaveLength(2);
  for (const head of heads) expect(head).not.toContain(TIMEOUT_HEADER);
});
