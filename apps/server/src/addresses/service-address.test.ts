import { describe, expect, it } from 'vitest';
import { createPlatformAddresses, createServiceAddresses } from './service-address.ts';

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

// Fails when the domain is compared as it was written: its own page was then "nothing is served here".
it('reads a domain in whatever case it was set', () => {
  const addresses = createServiceAddresses({ domain: 'Apps.Example.COM', scheme: 'https', port: 443 });
  expect(addresses.route('apps.example.com')).toEqual({ kind: 'api' });
  expect(addresses.route('shop.APPS.example.com')).toEqual({ kind: 'service', name: 'shop' });
  expect(addresses.apiUrl).toBe('https://api.apps.example.com');
  expect(addresses.platformHosts).toContain('apps.example.com');
  expect(addresses.consoleHosts).toEqual(['console.apps.example.com', 'apps.example.com']);
});

describe('custom domains', () => {
  const table = new Map([
    ['shop.example.net', 'shop'],
    ['api.apps.example.com', 'thief'],
    ['x.apps.example.com', 'thief'],
    ['10.0.0.7', 'thief'],
    ['localhost', 'thief'],
  ]);
  const config = { domain: 'apps.example.com', publicScheme: undefined, publicPort: undefined };
  const { route } = createPlatformAddresses(config, 8787, table);

  it('lead to their deployment, whatever their case, port and trailing dot', () => {
    for (const host of ['shop.example.net', 'SHOP.example.net:443', 'shop.example.net.']) {
      expect([host, route(host)]).toEqual([host, { kind: 'service', name: 'shop' }]);
    }
    expect(route('www.shop.example.net')).toEqual({ kind: 'unknown' });
  });

  // Fails when the table is read before the platform's own names.
  it('never take a name of the platform or of another deployment', () => {
    expect(route('api.apps.example.com')).toEqual({ kind: 'api' });
    expect(route('x.apps.example.com')).toEqual({ kind: 'service', name: 'x' });
    expect([route('10.0.0.7'), route('localhost')]).toEqual([{ kind: 'api' }, { kind: 'api' }]);
  });

  // Fails when the table is copied: a domain that was just verified would need a restart.
  it('are looked up at each request', () => {
    expect(route('new.example.net')).toEqual({ kind: 'unknown' });
    table.set('new.example.net', 'new');
    expect(route('new.example.net')).toEqual({ kind: 'service', name: 'new' });
  });
});

it.each([
  [{}, 'https://api.a.test', 'https://s.a.test'],
  [{ publicScheme: 'http' }, 'http://api.a.test', 'http://s.a.test'],
  [{ publicPort: 8443 }, 'https://api.a.test:8443', 'https://s.a.test:8443'],
  [{ publicScheme: 'http', publicPort: 443 }, 'http://api.a.test:443', 'http://s.a.test:443'],
  [{ domain: 'localhost' }, 'http://localhost:8787', 'http://s.localhost:8787'],
  [{ domain: 'localhost', publicPort: 80 }, 'http://localhost', 'http://s.localhost'],
  [{ domain: 'localhost', publicScheme: 'https' }, 'https://localhost:8787', 'https://s.localhost:8787'],
] as const)('prints addresses for %j', (changes, api, service) => {
  const config = { domain: 'a.test', publicScheme: undefined, publicPort: undefined, ...changes };
  const addresses = createPlatformAddresses(config, 8787, new Map());
  expect([addresses.apiUrl, addresses.serviceUrl('s')]).toEqual([api, service]);
});
