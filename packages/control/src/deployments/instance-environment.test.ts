import { expect, it } from 'vitest';
import { instanceEnvironment } from './instance-environment.ts';

const input = {
  deployment: 'shop',
  revision: 'shop-00001-abc',
  url: 'http://shop.localhost:8787',
  volumes: [{ mountPath: '/data', name: 'records', readOnly: true, subPath: 'a/b' }],
  prefixes: ['ACME', 'X'],
  variables: { GREETING: 'hi', K_SERVICE: 'stolen', ACME_URL: 'set before the operator listed ACME' },
};

it('is what the contract lists, and what the owner set beside it', () => {
  const volumes = '{"/data":{"name":"records","read_only":true,"sub_path":"a/b"}}';
  const base = {
    GREETING: 'hi',
    K_SERVICE: 'shop',
    K_REVISION: 'shop-00001-abc',
    K_CONFIGURATION: 'shop',
    BERTH_URL: input.url,
    BERTH_VOLUMES: volumes,
    ACME_URL: input.url,
    ACME_VOLUMES: volumes,
    X_URL: input.url,
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
    ...{ BERTH_ISSUER: identity.issuer, ACME_ISSUER: identity.issuer, X_ISSUER: identity.issuer },
    ...{ BERTH_JWKS: identity.jwks, ACME_JWKS: identity.jwks, X_JWKS: identity.jwks },
  });
});
