import { expect, it } from 'vitest';
import { instanceEnvironment, platformVariableNames } from './instance-environment.ts';

const input = {
  account: 'acc_1',
  deployment: 'shop',
  revision: 'shop-00001-abc',
  url: 'http://shop.localhost:8787',
  volumes: [{ mountPath: '/data', name: 'records', readOnly: true, subPath: 'a/b' }],
  prefixes: ['ACME', 'X'],
  settings: { cpu: 1, memoryBytes: 2 ** 30, concurrency: 80, sessionAffinity: false },
  variables: { GREETING: 'hi', K_SERVICE: 'stolen', ACME_URL: 'set before the operator listed ACME' },
};

it('is what the contract lists, and what the owner set beside it', () => {
  const volumes = '{"/data":{"name":"records","read_only":true,"sub_path":"a/b"}}';
  const base = {
    WEB_CONCURRENCY: '1',
    WEB_THREADS: '80',
    GREETING: 'hi',
    K_SERVICE: 'shop',
    K_REVISION: 'shop-00001-abc',
    K_CONFIGURATION: 'shop',
    BERTH_URL: input.url,
    BERTH_ACCOUNT_ID: 'acc_1',
    BERTH_VOLUMES: volumes,
    ACME_URL: input.url,
    ACME_ACCOUNT_ID: 'acc_1',
    ACME_VOLUMES: volumes,
    X_URL: input.url,
    X_ACCOUNT_ID: 'acc_1',
    X_VOLUMES: volumes,
  };
  expect(instanceEnvironment(input)).toEqual(base);
  expect(instanceEnvironment({ ...input, cronToken: 't' })).toEqual({
    ...base,
    CRON_TOKEN: 't',
    ACME_CRON_TOKEN: 't',
    X_CRON_TOKEN: 't',
  });
  const identity = { issuer: 'http://localhost:8787', jwks: '{"keys":[]}' };
  expect(instanceEnvironment({ ...input, identity })).toEqual({
    ...base,
    BERTH_ISSUER: identity.issuer,
    ACME_ISSUER: identity.issuer,
    X_ISSUER: identity.issuer,
    BERTH_JWKS: identity.jwks,
    ACME_JWKS: identity.jwks,
    X_JWKS: identity.jwks,
  });
});

it.each([
  ['the defaults', {}, '1', '80'],
  ['part of a CPU', { cpu: 0.08 }, '1', '80'],
  ['a worker for each CPU', { cpu: 4, memoryBytes: 2 ** 31 }, '4', '80'],
  ['as the memory goes', { cpu: 2, memoryBytes: 2 ** 29 }, '1', '80'],
  ['no more than requests', { cpu: 4, memoryBytes: 2 ** 32, concurrency: 2 }, '2', '2'],
  ['one where visitors stay', { cpu: 4, memoryBytes: 2 ** 32, sessionAffinity: true }, '1', '80'],
  ['as processes are bounded', { concurrency: 1_000 }, '1', '500'],
])('workers and threads follow CPU, memory and concurrency: %s', (_what, changes, workers, threads) => {
  const settings = { ...input.settings, ...changes };
  const sized = { WEB_CONCURRENCY: workers, WEB_THREADS: threads };
  expect(instanceEnvironment({ ...input, settings })).toMatchObject(sized);
  const own = { WEB_CONCURRENCY: '9', WEB_THREADS: '3' };
  expect(instanceEnvironment({ ...input, settings, variables: own })).toMatchObject(own);
});

// Fails when a variable is set that is not in the contract's table: its owner could set it, and it would be in no guide.
it('sets no variable that an owner could set too, but the number of workers and threads', () => {
  const identity = { issuer: 'http://localhost:8787', jwks: '{"keys":[]}' };
  const names = Object.keys(instanceEnvironment({ ...input, variables: {}, cronToken: 't', identity }));
  const taken = platformVariableNames(input.prefixes);
  expect(names.filter((name) => !taken.has(name))).toEqual(['WEB_CONCURRENCY', 'WEB_THREADS']);
  expect([...taken].filter((name) => !names.includes(name))).toEqual(['PORT', 'BERTH_CRON_TOKEN']);
});
