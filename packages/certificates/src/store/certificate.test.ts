import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeCertificate } from '../testing/make-certificate.ts';
import { subjectNames } from './certificate.ts';

test('reads DNS names alone, in lower case, each once', () => {
  expect(subjectNames('DNS:A.Example, IP Address:127.0.0.1, DNS:*.b.example, URI:http://x/, DNS:a.example')).toEqual([
    'a.example',
    '*.b.example',
  ]);
  expect(subjectNames(undefined)).toEqual([]);
  expect(subjectNames('')).toEqual([]);
});

test.each([
  'URI:"http://x/, DNS:victim.example"',
  String.raw`URI:"http://x/\", DNS:victim.example"`,
  'DNS:"a.example, DNS:victim.example"',
  'DirName:"CN=x, DNS:victim.example", IP Address:::1',
  'DNS:victim.example\u0000.evil.example',
  'DNS:*.*.victim.example',
  'DNS:a*.victim.example',
  'DNS:',
])('takes no name out of %s', (text) => {
  expect(subjectNames(text)).toEqual([]);
});

test('a name after a quoted value is read', () => {
  expect(subjectNames('URI:"http://x/,y", DNS:b.example')).toEqual(['b.example']);
});

test('any text gives host names or nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const name of subjectNames(`DNS:${text}, ${text}`)) expect(name).toMatch(/^(\*\.)?[a-z0-9_.-]+$/);
    }),
  );
});

test('the names of a real certificate are found', async () => {
  const { certPem } = await makeCertificate({ names: ['A.example', '*.b.example'], ips: ['10.0.0.1'] });
  expect(subjectNames(new X509Certificate(certPem).subjectAltName)).toEqual(['a.example', '*.b.example']);
});

test('a comma inside a name of a real certificate adds none', async () => {
  const { certPem } = await makeCertificate({ names: ['evil.example, DNS:victim.example'] });
  expect(subjectNames(new X509Certificate(certPem).subjectAltName)).toEqual([]);
});
