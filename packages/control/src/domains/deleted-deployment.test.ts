import path from 'node:path';
import { CONTAINER_MOUNTS } from '@berth/contract';
import { createTestSealer } from '@berth/database/testing';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeBuilder, createFakeGateway, createFakeLogStore } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createEntitlements } from '../billing/plans/entitlements.ts';
import { selfHostedPlans } from '../billing/plans/plans.ts';
import { createDeployments } from '../deployments/create-deployments.ts';
import { createDomainFixture } from './testing/domain-fixture.ts';

test('a deleted deployment leads no domain to whoever takes its name', async () => {
  await using fixture = await createDomainFixture();
  const { db, clock, audit, domains, api, changes } = fixture;
  const deployments = createDeployments({
    db,
    clock,
    audit,
    ids: createIdSource(),
    logger: createSilentLogger(),
    builder: createFakeBuilder(path.join(fixture.folder, 'archives')),
    gateway: createFakeGateway(),
    logs: createFakeLogStore(() => clock.nowMs()),
    sealer: createTestSealer(),
    urlOf: (name) => `http://${name}.apps.example`,
    volumeFolder: async (account, volume, subPath) => ({ volume: `${account}/${volume}`, subPath }),
    mountPolicy: CONTAINER_MOUNTS,
    forgetOwner: async () => {},
    entitlements: createEntitlements(selfHostedPlans(30)),
    forgetRoutes: domains.removeAll,
  });
  deployments.registerRoutes(api);
  fixture.publish(await fixture.add('shop.example.com', 'shop'));
  await fixture.call('POST', '/v1/domain/verify', { domain: 'shop.example.com' });

  expect((await fixture.call('POST', '/v1/deployment/delete', { name: 'shop' })).status).toBe(200);
  expect(changes).toEqual([
    { domain: 'shop.example.com', deployment: 'shop' },
    { domain: 'shop.example.com', deployment: null },
  ]);
  await fixture.deployment('shop', 'acc_bob');
  expect(await domains.routes()).toEqual(new Map());
  expect((await fixture.call('GET', '/v1/domain/list?name=shop', undefined, 'bob')).body).toEqual([]);
});
