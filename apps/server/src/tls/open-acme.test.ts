import { expect, test } from 'vitest';
import { certificatesInUse } from './open-acme.ts';

const certificate = (name: string, isStored: boolean) => ({
  ...{ names: [name], issuer: 'CN=test', fingerprint: name, notBeforeMs: 0, notAfterMs: 1 },
  ...(isStored ? { stored: { name, source: 'https://acme.example/directory' } } : {}),
});

// Fails when a certificate of a domain that was removed, or that a wildcard replaced, alarms the operator for weeks.
test('certificates of names that are no longer wanted are not reported', () => {
  const all = [certificate('file.test', false), certificate('kept.test', true), certificate('removed.test', true)];
  const certificates = { list: () => all };
  const acme = { status: () => [{ name: 'kept.test', state: 'issued' as const }] };
  const reported = (given: typeof acme | undefined) =>
    certificatesInUse(certificates, given)
      .list()
      .map(({ fingerprint }) => fingerprint);
  expect(reported(acme)).toEqual(['file.test', 'kept.test']);
  expect(reported(undefined)).toEqual(['file.test']);
});
