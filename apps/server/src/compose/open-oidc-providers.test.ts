import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openOidcProviders } from './open-oidc-providers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-providers-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: unknown): string {
  const file = path.join(folder, 'providers.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const provider = { id: 'acme', name: 'Acme', issuer: 'https://id.acme.example', client_id: 'berth' };

it('reads the providers, and says of each fault where it is', () => {
  expect(openOidcProviders({ oidcProviders: undefined, signUp: true })).toEqual([]);
  expect(openOidcProviders({ oidcProviders: fileOf([provider]), signUp: true })).toHaveLength(1);
  const open = (content: unknown, signUp = false) => openOidcProviders({ oidcProviders: fileOf(content), signUp });
  expect(() => open('[')).toThrow(/BERTH_OIDC_PROVIDERS \(.*providers\.json\): /);
  expect(() => open([{ ...provider, issuer: 'x' }])).toThrow(/0\.issuer/);
  expect(() => openOidcProviders({ oidcProviders: path.join(folder, 'none'), signUp: false })).toThrow(/ENOENT/);
});

it('does not link by address where strangers can take one', () => {
  const linking = fileOf([{ ...provider, link_by_email: true }]);
  expect(openOidcProviders({ oidcProviders: linking, signUp: false })).toHaveLength(1);
  expect(() => openOidcProviders({ oidcProviders: linking, signUp: true })).toThrow(/can't be combined/);
});
