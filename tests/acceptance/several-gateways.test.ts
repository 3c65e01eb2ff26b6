import type { CoreV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Berth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { startLoad } from '../harness/open-loop.ts';
import { greeter, probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { kubernetesSettings, openCluster, RUNTIME, removeFromCluster } from '../harness/runtime.ts';
import { type Servers, startServers } from '../harness/servers.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Services start in less on a quiet machine; others work on this one, too. */
const SLOW = { timeoutMs: 60_000 };

if (RUNTIME !== 'kubernetes') {
  it.skip('several gateways (by design: only on a cluster do servers share instances)', () => {});
} else {
  describe('several gateways on a cluster', () => {
    const settings = kubernetesSettings(`several-gateways-${process.pid}`);
    const LEASE_MS = Number(settings['BERTH_GATEWAY_LEASE']) * 1_000;
    let core: CoreV1Api;
    let servers: Servers;
    let one: Berth;
    let other: Berth;

    beforeAll(async () => {
      core = await openCluster();
      servers = await startServers({ count: 2, env: settings });
      [one, other] = servers.all as [Berth, Berth];
    });
    afterAll(async () => {
      await servers?.[Symbol.asyncDispose]();
      await removeFromCluster(settings);
    });

    /** The Pods of a service that aren't being deleted. */
    const podsOf = async (name: string) => {
      const { items } = await core.listPodForAllNamespaces({ labelSelector: `berth.dev/deployment=${name}` });
      return items.filter(({ metadata }) => !metadata?.deletionTimestamp).map(({ metadata }) => metadata);
    };
    const serveBoth = async (name: string, text: string) => {
      for (const berth of servers.all)
        await waitFor('it serves', async () => (await request(berth, name)).text === text, SLOW);
    };

    // Fails when each gateway starts instances of its own, or when a gateway doesn't reach another one's.
    it('serve a service with the same instance, whichever is asked and whichever deployed it', async () => {
      const name = uniqueName('shared');
      await deployed(one, name, { files: greeter('first') });
      await serveBoth(name, 'first');
      expect(await podsOf(name)).toHaveLength(1);
      await deployed(other, name, { files: greeter('second') });
      await serveBoth(name, 'second');
    });

    // Fails when requests of the remaining gateway are lost with the owner, or when it starts the service again.
    it('go on when one is killed, with the same instance', async () => {
      const name = uniqueName('killed');
      await deployed(one, name, { files: greeter('alive') });
      await serveBoth(name, 'alive');
      const [before] = await podsOf(name);
      // Whichever counts the requests of the service: one is killed after the other.
      for (const [killed, left] of [
        [one, other],
        [other, one],
      ] as const) {
        const load = startLoad(left, { service: name, requestsPerSecond: 50, isKeptAlive: true });
        await killed.kill9();
        await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 3_000));
        const result = await load.stop();
        expect(result.failures).toEqual([]);
        expect(Math.max(...result.latenciesMs)).toBeLessThan(LEASE_MS + 5_000);
        await killed.start();
        await waitFor('it serves again', async () => (await request(killed, name)).text === 'alive', SLOW);
      }
      // The requests that waited may have started more.
      expect((await podsOf(name)).map((pod) => pod?.name)).toContain(before?.name);
    });

    // Fails when gateways lose their services to an outage that all of them have.
    it('go on while Postgres is away, for longer than their leases', async () => {
      const name = uniqueName('outage');
      await deployed(one, name, { files: greeter('there') });
      await serveBoth(name, 'there');
      const loads = servers.all.map((berth) =>
        startLoad(berth, { service: name, requestsPerSecond: 20, isKeptAlive: true }),
      );
      await servers.postgres.kill();
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 4_000));
      await servers.postgres.start();
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      const results = await Promise.all(loads.map((load) => load.stop()));
      expect(results.flatMap(({ failures }) => failures)).toEqual([]);
      expect(await podsOf(name)).toHaveLength(1);
      await waitFor('deploys work again', async () => (await one.api('/v1/deployment/list')).ok, SLOW);
    });

    // Fails when an evicted instance is replaced only after its end, or when requests under way are cut off.
    it('replace an instance that is evicted before it ends', async () => {
      const name = uniqueName('evicted');
      await deployed(one, name, { files: probe() });
      const [before] = await podsOf(name);
      const load = startLoad(other, { service: name, path: '/sleep?ms=500', requestsPerSecond: 10, isKeptAlive: true });
      await load.answered('slept');
      const { name: pod = '', namespace = '' } = before ?? {};
      await core.createNamespacedPodEviction({ name: pod, namespace, body: { metadata: { name: pod, namespace } } });
      await waitFor('another one serves', async () => (await podsOf(name)).some((one) => one?.name !== pod), SLOW);
      await waitFor('the first one has ended', async () => !(await isThere(namespace, pod)), SLOW);
      const result = await load.stop();
      expect(result.failures).toEqual([]);
    });
    const isThere = async (namespace: string, name: string) => {
      const { items } = await core.listNamespacedPod({ namespace, fieldSelector: `metadata.name=${name}` });
      return items.length > 0;
    };

    it('leave nothing to do for people when an instance is lost with its node', async () => {
      const name = uniqueName('lost');
      await deployed(one, name, { files: greeter('again') });
      await serveBoth(name, 'again');
      const [before] = await podsOf(name);
      await core.deleteNamespacedPod({
        name: before?.name ?? '',
        namespace: before?.namespace ?? '',
        gracePeriodSeconds: 0,
      });
      await waitFor('it is gone', async () => !(await isThere(before?.namespace ?? '', before?.name ?? '')), SLOW);
      await serveBoth(name, 'again');
    });
  });
}
