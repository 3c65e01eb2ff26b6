import { ACCESS_CREDENTIALS, type AccessSample, runAccessMatrix } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createPlatform, deployForm } from '../deploys/testing/platform.ts';

it('every route of deployments answers every credential as the contract says', async () => {
  await using platform = await createPlatform();
  const { api } = await platform.boot();
  const events = await platform.deploy('canary-name');
  await platform.deploy('canary-name');
  // The owner's call really deletes it.
  await platform.deploy('canary-name-2');
  const deployId = events[0]?.deploy_id ?? '';
  const samples: Readonly<Record<string, () => AccessSample>> = {
    'POST /v1/deploy': () => ({ body: deployForm('canary-name'), isOwned: true }),
    'GET /v1/deploys': () => ({ query: '?name=canary-name', isOwned: true }),
    'GET /v1/deploys/{deploy_id}/events': () => ({ parameters: { deploy_id: deployId }, isOwned: true }),
    'POST /v1/deploys/{deploy_id}/cancel': () => ({ parameters: { deploy_id: deployId }, isOwned: true }),
    'GET /v1/deployment/check-name': () => ({ query: '?name=other-name' }),
    'GET /v1/deployment/list': () => ({}),
    'GET /v1/deployment/instances': () => ({ query: '?name=canary-name', isOwned: true }),
    'GET /v1/deployment/{name}': () => ({ parameters: { name: 'canary-name' }, isOwned: true }),
    'GET /v1/deployment/rollback/preview': () => ({ query: '?name=canary-name', isOwned: true }),
    'POST /v1/deployment/rollback': () => ({ json: { name: 'canary-name' }, isOwned: true }),
    'POST /v1/deployment/redeploy': () => ({ json: { name: 'canary-name', port: 81 }, isOwned: true }),
    'POST /v1/deployment/restart': () => ({ json: { name: 'canary-name' }, isOwned: true }),
    'POST /v1/deployment/stop': () => ({ json: { name: 'canary-name' }, isOwned: true }),
    'POST /v1/deployment/resume': () => ({ json: { name: 'canary-name' }, isOwned: true }),
    'POST /v1/deployment/traffic': () => ({ json: { name: 'canary-name', split: {} }, isOwned: true }),
    'POST /v1/env/set': () => ({ json: { deployment_name: 'canary-name', set: { A: '1' } }, isOwned: true }),
    'GET /v1/env/list': () => ({ query: '?name=canary-name', isOwned: true }),
    'POST /v1/env/refresh': () => ({ json: { deployment_name: 'canary-name' }, isOwned: true }),
    'POST /v1/env/shared/set': () => ({ json: { set: { A: '1' } } }),
    'GET /v1/env/shared': () => ({}),
    'POST /v1/deployment/delete': () => ({ json: { name: 'canary-name-2' }, isOwned: true }),
  };
  const bad = { 'X-API-Key': 'nobody' };
  const results = await runAccessMatrix({
    send: async (request) => api.fetch(request),
    origin: 'http://localhost',
    credentials: {
      bad,
      'bad beside good': { ...bad, Authorization: 'Bearer alice' },
      expired: bad,
      revoked: bad,
      'read-only': { 'X-API-Key': 'alice-read' },
      'other account': { 'X-API-Key': 'bob' },
      owner: { 'X-API-Key': 'alice' },
    },
    sample: ({ id }) => samples[id]?.(),
    canaries: ['canary-name"', deployId],
  });
  const operations = new Set(results.map(({ operation }) => operation));
  expect([...operations].sort()).toEqual(Object.keys(samples).sort());
  expect(results).toHaveLength(operations.size * ACCESS_CREDENTIALS.length);
  expect(results.filter(({ fault }) => fault !== undefined)).toEqual([]);
});
