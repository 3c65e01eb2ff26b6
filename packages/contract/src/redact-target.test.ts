import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactTarget } from './redact-target.ts';

test.each([
  ['/v1/objects/a/v/x?expires=1&key=2&signature=canary', '/v1/objects/a/v/x?expires=1&key=REDACTED&signature=REDACTED'],
  ['/b/o?X-Amz-Expires=9&X-Amz-Signature=canary', '/b/o?X-Amz-Expires=9&X-Amz-Signature=REDACTED'],
  ['/callback?state=s&code=canary', '/callback?state=s&code=REDACTED'],
  ['/?access_token=canary&a=1', '/?access_token=REDACTED&a=1'],
  ['/?a=1;sig=canary', '/?a=1;sig=REDACTED'],
  ['/?a=1?token=canary', '/?a=REDACTED'],
  ['/?%74oke%6E=canary', '/?%74oke%6E=REDACTED'],
  ['/?%2574oken=canary', '/?%2574oken=REDACTED'],
  ['/?TOKEN=canary&token=canary2', '/?TOKEN=REDACTED&token=REDACTED'],
  ['/?user[token]=canary', '/?user[token]=REDACTED'],
  ['/?token%3Dcanary', '/?REDACTED'],
  ['/?url=https%3A%2F%2Fs%2Fx%3Fa%3D1%26signature%3Dcanary&b=2', '/?url=REDACTED&b=2'],
  ['/?next=/shared/u/canary', '/?next=REDACTED'],
  ['/files;token=canary/x', '/files;token=REDACTED/x'],
  ['/files%3Ftoken=canary', '/files%3Ftoken=REDACTED'],
  ['/shared/u/canary', '/shared/u/REDACTED'],
  ['/shared/u/canary/?ws=t-1', '/shared/u/REDACTED/?ws=t-1'],
  ['/share/u/canary/file/a.txt', '/share/u/REDACTED/file/a.txt'],
  ['/share/u/canary/data', '/share/u/REDACTED/data'],
  ['/share/canary', '/share/REDACTED'],
  ['/share/canary/data', '/share/REDACTED/data'],
  ['//share//u/./canary/fork', '//share//u/./REDACTED/fork'],
  ['/prefix/Shared/u/canary', '/prefix/Shared/u/REDACTED'],
  ['/%73hare/u/canary/data', '/%73hare/u/REDACTED/data'],
  ['/share/a%2Fb/canary/data', '/share/a/REDACTED/REDACTED/data'],
  ['/shared%2Fu%2Fcanary', '/shared/u/REDACTED'],
])('%s is logged as %s', (target, shown) => {
  expect(redactTarget(target)).toBe(shown);
});

test.each([
  '/',
  '*',
  '/healthz?deep=1',
  '/search?q=share/price&page=2',
  '/shared',
  '/files/%C3%A9t%C3%A9.txt?as=pdf',
  '/a%ffb?x=%zz',
  '/zip?zipcode=10115&country_code=de',
])('%s has no secret and is logged as it is', (target) => {
  expect(redactTarget(target)).toBe(target);
});

test('no spelling of a name or a route shows the secret', () => {
  const spelled = (text: string) =>
    fc
      .tuple(...[...text].map((letter) => fc.constantFrom(letter, letter.toUpperCase(), percent(letter))))
      .map((all) => all.join(''));
  const names = ['token', 'sig', 'signature', 'access_token', 'code', 'X-Amz-Signature'].map(spelled);
  const fields = fc.oneof(...names).map((name) => `/x?a=1&${name}=canary`);
  const shares = spelled('share').chain((route) => fc.constantFrom(`/${route}/u/canary/data`, `/${route}/canary`));
  fc.assert(fc.property(fc.oneof(fields, shares), (target) => !redactTarget(target).includes('canary')));
});

test('a long target of any shape takes no time to speak of', () => {
  for (const piece of ['a', '/', '%25', 'share/', 'a=', '?', '%2F', ';', '&token=']) {
    const startedMs = performance.now();
    redactTarget(`/${piece.repeat(Math.ceil(16_384 / piece.length))}`);
    redactTarget(`/?a=${piece.repeat(Math.ceil(16_384 / piece.length))}`);
    expect(performance.now() - startedMs, piece).toBeLessThan(500);
  }
});

function percent(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
