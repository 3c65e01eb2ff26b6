import { expect, test } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { parseServerAddress, resolveTarget, type TargetSources } from './resolve-target.ts';

const local = { key: 'local-key', path: '/data/api-key' };
const sources: TargetSources = {
  flags: {},
  environment: {},
  config: { servers: {} },
  findLocalKey: async () => local,
};

test('with nothing said it is the server of this machine and its key', async () => {
  expect(await resolveTarget(sources)).toEqual({
    baseUrl: 'http://localhost:8787',
    urlFrom: 'the default',
    credential: { apiKey: 'local-key' },
    credentialFrom: '/data/api-key',
  });
});

test('a flag goes before the environment, that before the login, that before this machine', async () => {
  const config = { current: 'http://localhost:3', servers: { 'http://localhost:3': { key: 'stored' } } };
  const environment = { url: 'http://localhost:2', key: 'env' };
  const flags = { url: 'http://localhost:1', key: 'flag' };
  const pick = async (some: Partial<TargetSources>) => {
    const { baseUrl, credential } = await resolveTarget({ ...sources, ...some });
    return [baseUrl, credential && 'apiKey' in credential ? credential.apiKey : undefined];
  };
  expect(await pick({ flags, environment, config })).toEqual(['http://localhost:1', 'flag']);
  expect(await pick({ environment, config })).toEqual(['http://localhost:2', 'env']);
  expect(await pick({ config })).toEqual(['http://localhost:3', 'stored']);
  expect(await pick({ environment: { url: '', key: '' } })).toEqual(['http://localhost:8787', 'local-key']);
});

test('a remembered key goes to its own server and to no other', async () => {
  const config = { current: 'https://a.test', servers: { 'https://a.test': { key: 'key-of-a' } } };
  const target = await resolveTarget({ ...sources, config, flags: { url: 'https://b.test' } });
  expect(target.credential).toBeUndefined();
  expect(await resolveTarget({ ...sources, config, flags: { url: 'HTTPS://A.test/' } })).toMatchObject({
    credential: { apiKey: 'key-of-a' },
  });
});

test('the key of this machine never leaves it', async () => {
  for (const url of [
    'https://example.com',
    'http://10.0.0.1:8787',
    'http://localhost.example.com',
    'http://127.evil.test.example',
  ]) {
    let isAsked = false;
    const findLocalKey = async () => {
      isAsked = true;
      return local;
    };
    expect((await resolveTarget({ ...sources, findLocalKey, flags: { url } })).credential, url).toBeUndefined();
    expect(isAsked, url).toBe(false);
  }
  for (const url of ['http://127.0.0.1:9', 'http://[::1]:9', 'http://localhost', 'http://api.localhost:8787']) {
    expect((await resolveTarget({ ...sources, flags: { url } })).credential, url).toEqual({ apiKey: 'local-key' });
  }
});

test('a session is a bearer', async () => {
  const config = { servers: { 'http://localhost:8787': { bearer: 'token' } } };
  expect((await resolveTarget({ ...sources, config })).credential).toEqual({ bearer: 'token' });
});

test('an address may be typed without its scheme', () => {
  expect(parseServerAddress(' localhost:9000 ', '--url')).toBe('http://localhost:9000');
  expect(parseServerAddress('127.0.0.1:9000/', '--url')).toBe('http://127.0.0.1:9000');
  expect(parseServerAddress('berth.example.com', '--url')).toBe('https://berth.example.com');
  for (const text of ['', 'ftp://x', 'http://', 'a b']) {
    expect(() => parseServerAddress(text, 'BERTH_URL'), text).toThrow(UsageError);
  }
});
