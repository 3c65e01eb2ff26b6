import { PLATFORM_COOKIES } from '@berth/contract/platform-cookies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOwnCookie, withoutPlatformCookies } from './cookie-guard.ts';

const HOST = 'hello.apps.test:8443';

describe('a service may set', () => {
  test.each([
    'a=1',
    'a=1; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=1',
    'a=1; Domain=hello.apps.test',
    'a=1; domain=.Hello.APPS.test',
    'a=1; Domain=deep.hello.apps.test',
    'a=1; Domain=',
    'a=1; Domain',
    'a=Domain=apps.test',
    'a=1; Domain=apps.test; Domain=hello.apps.test',
    'a=1; XDomain=apps.test',
    'a=1; \u00a0Domain=apps.test',
    '__Host-a=1; Path=/; Secure',
    'berth-connect=1',
    'my_berth_session=1',
    'a=berth_session=1',
  ])('%s', (cookie) => expect(isOwnCookie(cookie, HOST)).toBe(true));
});

describe('a service may not set', () => {
  test.each([
    'a=1; Domain=apps.test',
    'a=1; Domain=.apps.test',
    'a=1; Domain=..apps.test',
    'a=1; Domain=test',
    'a=1; Domain=other.apps.test',
    'a=1; Domain=xhello.apps.test',
    'a=1; Domain=apps.test.',
    'a=1; Domain=hello.apps.test.evil.test',
    'a=1;DOMAIN=apps.test',
    'a=1;\tdOmAiN \t= \tApps.Test \t; Path=/',
    'a=1; Domain=hello.apps.test; Domain=apps.test',
    'a=1; Domain=apps.test; Domain=',
    'a=1; Domain=apps.test; Domain',
    'a=1; Domain=apps.test; \u00a0Domain=hello.apps.test',
    'a=1; Domain="apps.test"',
    'a=1; Domain=apps.test:8443',
    'a=1; Domain=ａpps.test',
    '; Domain=apps.test',
    'berth_session=1',
    '__Host-berth_session=1; Path=/; Secure',
    ' __secure-BERTH_IDENTITY = 1',
    '=berth_session=1',
    ' = berth_session=1',
    'berth_form',
  ])('%s', (cookie) => expect(isOwnCookie(cookie, HOST)).toBe(false));
});

test('addresses and requests without a host own only themselves', () => {
  expect(isOwnCookie('a=1; Domain=127.0.0.1', '127.0.0.1:8787')).toBe(true);
  expect(isOwnCookie('a=1; Domain=0.0.1', '127.0.0.1:8787')).toBe(false);
  expect(isOwnCookie('a=1; Domain=localhost', 'hello.localhost:8787')).toBe(false);
  expect(isOwnCookie('a=1; Domain=hello.apps.test', 'Hello.Apps.Test.')).toBe(true);
  expect(isOwnCookie('a=1; Domain=apps.test', '')).toBe(false);
  expect(isOwnCookie('a=1; Domain=.', '')).toBe(false);
});

test('a service is sent every cookie but those of the platform', () => {
  expect(withoutPlatformCookies('a=1; berth_session=x; b=2')).toBe('a=1; b=2');
  expect(withoutPlatformCookies('berth_session=x;a=1')).toBe('a=1');
  expect(withoutPlatformCookies('__Host-berth_identity=x')).toBe('');
  expect(withoutPlatformCookies('a=berth_session; my_berth_form=1')).toBe('a=berth_session; my_berth_form=1');
  const others = fc.array(fc.stringMatching(/^[a-z]{1,8}=[!-:<-~]{0,8}$/));
  const own = fc
    .tuple(fc.constantFrom(...PLATFORM_COOKIES), fc.boolean())
    .map(([name, isSecure]) => `${isSecure ? '__Host-' : ''}${name}`);
  fc.assert(
    fc.property(others, own, others, (before, name, after) => {
      const kept = [...before, ...after].join('; ');
      expect(withoutPlatformCookies([...before, `${name}=secret`, ...after].join('; '))).toBe(kept);
    }),
  );
});
