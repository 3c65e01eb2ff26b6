import { expect, test } from 'vitest';
import { connectionTokens } from '../headers/hop-by-hop.ts';
import { clientAddress } from './request-head.ts';
import { buildRequestHeaders, forwardedNode, type RequestHeadersInput } from './request-headers.ts';

const input: RequestHeadersInput = {
  rawHeaders: [],
  connection: undefined,
  host: 'hello.test',
  peerAddress: '10.0.0.1',
  proto: 'https',
  traceparent: 'trace',
  trustForwarded: false,
  isPlatform: false,
};

const build = (changes: Partial<RequestHeadersInput>) => {
  const flat = buildRequestHeaders({ ...input, ...changes });
  return Array.from({ length: flat.length / 2 }, (_, i) => `${flat[2 * i]}: ${flat[2 * i + 1]}`);
};

test('a request always says where it came from', () => {
  expect(build({})).toEqual([
    'Host: hello.test',
    'X-Forwarded-For: 10.0.0.1',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: hello.test',
    'Forwarded: for=10.0.0.1;host=hello.test;proto=https',
    'traceparent: trace',
  ]);
});

test('a second Host, pseudo-headers and HTTP/2 settings do not pass', () => {
  const rawHeaders = ['host', 'evil.test', ':authority', 'x', 'HTTP2-Settings', 'x', 'X-A', '1'];
  expect(build({ rawHeaders }).slice(0, 2)).toEqual(['Host: hello.test', 'X-A: 1']);
});

// Fails when a client can tell an instance that it is replaced: it would begin no more background work.
test('what the gateway alone says does not pass, however it is written', () => {
  const rawHeaders = ['Berth-Replaced', '1', 'berth_replaced', '1', 'BERTH.REPLACED', '1', 'X-A', '1'];
  expect(build({ rawHeaders }).slice(0, 3)).toEqual(['Host: hello.test', 'X-A: 1', 'X-Forwarded-For: 10.0.0.1']);
});

test('several lists of addresses become one', () => {
  const rawHeaders = ['X-Forwarded-For', '1.1.1.1', 'x-forwarded-for', '2.2.2.2'];
  expect(build({ rawHeaders })).toContain('X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.0.0.1');
});

test('a Connection header names what ends here, but cannot take the host or the length away', () => {
  expect([...connectionTokens('close, X-A ,host,Content-Length,')]).toEqual(['close', 'x-a']);
  expect(build({ rawHeaders: ['X-A', '1', 'X-B', '2'], connection: 'X-A' })).toContain('X-B: 2');
  expect(build({ rawHeaders: ['X-A', '1'], connection: 'X-A, host' })[0]).toBe('Host: hello.test');
});

test('addresses are written as their readers expect', () => {
  expect(clientAddress('::ffff:10.0.0.1')).toBe('10.0.0.1');
  expect(clientAddress('::1')).toBe('::1');
  expect(clientAddress(undefined)).toBe('');
  expect(forwardedNode('::1')).toBe('"[::1]"');
  expect(build({ peerAddress: '' })).toContain('Forwarded: for=unknown;host=hello.test;proto=https');
  expect(build({ host: 'a"b:1' })).toContain('Forwarded: for=10.0.0.1;host="a\\"b:1";proto=https');
});

// Fails without `posesAsReplaced`, and without `proxy` among the replaced names.
test('no header reaches a CGI program under the name of one that the gateway writes', () => {
  const names = [
    'X_Forwarded_For',
    'x_forwarded-for',
    'X-Forwarded_Proto',
    'X.Forwarded.Host',
    'Content_Length',
    'Proxy',
    'PROXY',
  ];
  const rawHeaders = [...names, 'X_Own', 'X-Proxy'].flatMap((name) => [name, 'forged']);
  const headers = build({ rawHeaders });
  expect(headers.filter((header) => header.endsWith(': forged'))).toEqual(['X_Own: forged', 'X-Proxy: forged']);
  expect(headers).toContain('X-Forwarded-For: 10.0.0.1');
});
