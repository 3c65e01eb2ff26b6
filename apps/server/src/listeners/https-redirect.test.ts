import type { IncomingMessage } from 'node:http';
import { TIMEOUT_HEADER } from '@berth/gateway';
import { createProxyTrust } from '@berth/kit/node';
import { expect, test } from 'vitest';
import { createHttpsRedirect } from './https-redirect.ts';

const redirect = (port: number) =>
  createHttpsRedirect({
    port,
    hasCertificate: (host) => host.endsWith('.example.com'),
    proxies: createProxyTrust(['10.0.0.0/8']),
  });

function plain(changes: { url?: string; peer?: string; proto?: string; encrypted?: boolean } = {}): IncomingMessage {
  return {
    url: changes.url ?? '/a?b=1',
    headers: changes.proto === undefined ? {} : { 'x-forwarded-proto': changes.proto },
    socket: { remoteAddress: changes.peer ?? '203.0.113.1', encrypted: changes.encrypted },
  } as unknown as IncomingMessage;
}

test('a plain request for a host with a certificate goes to the same address over HTTPS', () => {
  expect(redirect(443)(plain(), 'Shop.Example.com:80')).toBe('https://shop.example.com/a?b=1');
  expect(redirect(8443)(plain(), 'shop.example.com')).toBe('https://shop.example.com:8443/a?b=1');
  expect(redirect(443)(plain({ url: 'http://evil.test/x' }), 'shop.example.com')).toBe('https://shop.example.com/');
});

test('nothing else is sent anywhere', () => {
  const of = redirect(443);
  expect(of(plain(), 'localhost')).toBeUndefined();
  expect(of(plain(), undefined)).toBeUndefined();
  expect(of(plain({ encrypted: true }), 'shop.example.com')).toBeUndefined();
  expect(of(plain({ proto: 'https', peer: '::ffff:10.0.0.1' }), 'shop.example.com')).toBeUndefined();
});

test("the platform's own calls are not: nobody there follows", () => {
  const call = { ...plain(), headers: { [TIMEOUT_HEADER]: 'signed' } } as unknown as IncomingMessage;
  expect(redirect(443)(call, 'shop.example.com')).toBeUndefined();
});

test('who is no proxy of the operator cannot say that it used TLS', () => {
  expect(redirect(443)(plain({ proto: 'https' }), 'shop.example.com')).toBe('https://shop.example.com/a?b=1');
});
