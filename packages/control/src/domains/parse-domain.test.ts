import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDomain } from './parse-domain.ts';

const OWN = ['apps.example', 'localhost'];

describe('parseDomain', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['  Shop.EXAMPLE.com. ', 'shop.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['shop。example', 'shop.example'],
    ['ｓhop.example', 'shop.example'],
    ['faß.example', 'xn--fa-hia.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a.b.c.d.e.f.example', 'a.b.c.d.e.f.example'],
    ['1.example', '1.example'],
    ['example.xn--p1ai', 'example.xn--p1ai'],
    ['myapps.example', 'myapps.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [`${'a.'.repeat(123)}example`, `${'a.'.repeat(123)}example`],
  ])('reads %j', (text, domain) => {
    expect(parseDomain(text, OWN)).toEqual({ domain });
  });

  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['example', 'Use a host name'],
    ['*.example.com', 'Wildcard domains are not supported'],
    ['a.*.example.com', 'Use a host name'],
    ['http://shop.example.com', 'Use a host name'],
    ['shop.example.com:80', 'Use a host name'],
    ['shop.example.com/', 'Use a host name'],
    ['user@shop.example.com', 'Use a host name'],
    ['shop.example.com?x', 'Use a host name'],
    ['shop.example.com#x', 'Use a host name'],
    ['shop%2eexample.com', 'Use a host name'],
    ['shop .example.com', 'Use a host name'],
    ['shop\t.example.com', 'Use a host name'],
    ['shop.example.com\n.evil.com', 'Use a host name'],
    ['shop\u0000.example.com', 'Use a host name'],
    ['shop..example.com', 'Use a host name'],
    ['.example.com', 'Use a host name'],
    ['shop.example.com..', 'Use a host name'],
    ['-shop.example.com', 'Use a host name'],
    ['shop-.example.com', 'Use a host name'],
    ['shop_1.example.com', 'Use a host name'],
    ['127.0.0.1', 'Use a host name'],
    ['2130706433', 'Use a host name'],
    ['0x7f.1', 'Use a host name'],
    ['1.2.3', 'Use a host name'],
    ['①②⑦.⓪.⓪.①', 'Use a host name'],
    ['[::1]', 'Use a host name'],
    ['::1', 'Use a host name'],
    ['shop.example.0x1', 'Use a host name'],
    ['shop.example.9', 'Use a host name'],
    [`${'a'.repeat(64)}.example`, 'Use a host name'],
    [`${'a.'.repeat(124)}example`, '255 characters; 253'],
    ['ü'.repeat(5_000), 'Use a host name'],
    ['shop.localhost', 'under .localhost'],
    ['1.0.0.127.in-addr.arpa', 'under .arpa'],
    ['abc.onion', 'under .onion'],
    ['apps.example', 'belong to the platform'],
    ['shop.apps.example', 'belong to the platform'],
    ['A.B.Apps.Example.', 'belong to the platform'],
  ])('refuses %j', (text, problem) => {
    const parsed = parseDomain(text, OWN);
    expect(parsed.domain).toBeUndefined();
    expect(parsed.problem).toContain(problem);
  });

  it('gives a host name that reads as itself, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.domain(), fc.webAuthority(), fc.ipV4(), fc.ipV6()),
        (text) => {
          const { domain } = parseDomain(text, OWN);
          if (domain === undefined) return;
          expect(domain).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
          expect(domain.length).toBeLessThanOrEqual(253);
          expect(isIP(new URL(`http://${domain}`).hostname)).toBe(0);
          expect(new URL(`http://${domain}`).hostname).toBe(domain);
          expect(parseDomain(domain, OWN)).toEqual({ domain });
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
