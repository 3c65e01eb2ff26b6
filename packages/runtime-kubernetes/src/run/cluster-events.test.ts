import { type Program, server, start } from '@berth/runtime/contract';
import { describe, expect, test } from 'vitest';
import { ofPlatform } from '../pod/names.ts';
import { createKubernetesHarness, findTestCluster, type KubernetesHarness } from '../testing/kubernetes-harness.ts';

const found = findTestCluster();
const PROGRAM: Program = server({ '/': 'return { secret: process.env.SECRET }' });
const SECRET = 'a value that no one may read in the Pod';

async function podsOf({ kube, platformId }: KubernetesHarness) {
  const { items } = await kube.core.listPodForAllNamespaces({ labelSelector: ofPlatform(platformId) });
  return items;
}

if (!found) {
  test.skip('this machine has no KUBECONFIG and BERTH_TEST_REGISTRY', () => {});
} else {
  describe('an instance on a cluster', { timeout: 120_000 }, () => {
    // Fails when the environment is in the Pod's spec, or a token of the API server is mounted.
    test('has its environment from a Secret, and no token', async () => {
      await using harness = await createKubernetesHarness(found);
      const { get } = await start(harness, PROGRAM, { env: { SECRET } });
      expect(await get('/')).toEqual({ secret: SECRET });
      const [pod] = await podsOf(harness);
      expect(JSON.stringify(pod)).not.toContain(SECRET);
      expect(pod?.spec?.automountServiceAccountToken).toBe(false);
      expect(pod?.spec?.volumes ?? []).toEqual([]);
    });

    // Fails when an eviction is only seen as the end of the program.
    test('is told that it is evicted while it still serves', async () => {
      await using harness = await createKubernetesHarness(found);
      const { instance, get } = await start(harness, PROGRAM, { env: { SECRET } });
      const [pod] = await podsOf(harness);
      const { name = '', namespace = '' } = pod?.metadata ?? {};
      await harness.kube.core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name, namespace } } });
      await instance.evicted;
      expect(await get('/')).toEqual({ secret: SECRET });
      expect(await instance.exited).toMatchObject({ isRequested: false });
    });

    // Fails when the runtime believes for good that what it once made is there.
    test('starts again after someone deleted its Secret, or all of its namespace', async () => {
      await using harness = await createKubernetesHarness(found);
      const { core } = harness.kube;
      const artifact = await harness.makeArtifact(PROGRAM);
      const first = await start(harness, artifact, { env: { SECRET } });
      const [pod] = await podsOf(harness);
      const namespace = pod?.metadata?.namespace ?? '';
      await first.instance.stop();
      await core.deleteCollectionNamespacedSecret({ namespace });
      const second = await start(harness, artifact, { env: { SECRET } });
      expect(await second.get('/')).toEqual({ secret: SECRET });
      await second.instance.stop();
      await core.deleteNamespace({ name: namespace });
      const names = async () => (await core.listNamespace()).items.map(({ metadata }) => metadata?.name);
      await expect.poll(names, { timeout: 60_000 }).not.toContain(namespace);
      const third = await start(harness, artifact, { env: { SECRET } });
      expect(await third.get('/')).toEqual({ secret: SECRET });
    });
  });
}
