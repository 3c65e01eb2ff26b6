import { describe, expect, it } from 'vitest';
import { createServiceAddresses } from './service-address.ts';

describe('addresses', () => {
  it('are http with the port on localhost, and https without it on a domain', () => {
    const local = createServiceAddresses({ domain: 'localhost', scheme: 'http', port: 8787 });
    expect([local.apiUrl, local.serviceUrl('a')]).toEqual(['http://localhost:8787', 'http://a.localhost:8787']);
    const public_ = createServiceAddresses({ domain: 'example.com', scheme: 'https', port: 443 });
    expect([public_.apiUrl, public_.serviceUrl('a')]).toEqual(['https://api.example.com', 'https://a.example.com']);
  });

  it.each([
    ['localhost:8787', 'api'],
    ['127.0.0.1:8787', 'api'],
    ['[::1]:8787', 'api'],
    ['10.0.0.7', 'api'],
    ['apps.example.com', 'api'],
    ['api.apps.example.com', 'api'],
    ['console.apps.example.com:443', 'api'],
    ['storage.apps.example.com', 'storage'],
    ['hello.apps.example.com', 'hello'],
    ['HELLO.Apps.Example.Com.:80', 'hello'],
    ['a.b.apps.example.com', 'unknown'],
    ['.apps.example.com', 'unknown'],
    ['evilapps.example.com', 'unknown'],
    ['example.com', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('route %s to %s', (host, expected) => {
    const route = createServiceAddresses({ domain: 'apps.example.com', scheme: 'https', port: 443 }).route(host);
    expect(route.kind === 'service' ? route.name : route.kind).toBe(expected);
  });
});
