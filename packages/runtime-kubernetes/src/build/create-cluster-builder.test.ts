import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Builder } from '@berth/builder';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import tar from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { findTestCluster, type TestCluster } from '../testing/kubernetes-harness.ts';
import { BUILD_LABEL } from './build-pod.ts';
import { createClusterBuilder } from './create-cluster-builder.ts';

const OWNER = { account: 'account_one', deployment: 'shop' };
const APP = { 'server.js': 'setInterval(() => {}, 1000)', 'package.json': '{"scripts":{"start":"node server.js"}}' };
const found = findTestCluster();

async function open({ kube, registry }: TestCluster) {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-cluster-builder-'));
  const platformId = `t${randomUUID().slice(0, 8)}`;
  const namespace = `berth-builds-${platformId}`;
  const place = registry.replace('http://', '');
  const builder: Builder = await createClusterBuilder({
    kube,
    registry: { url: `${registry}/${platformId}`, credentials: undefined },
    policy: {
      ...{ platformId, namespace, image: `${place}/berth-builder:1` },
      ...{ runtimeClass: undefined, hasUserNamespaces: false },
    },
    ...{ blockedRanges: [], allowedRanges: ['10.0.0.0/8'], platform: 'linux/amd64' },
    images: { node: `${place}/node:24-slim`, plain: `${place}/debian:13-slim` },
    archiveFolder: path.join(folder, 'archives'),
    workFolder: path.join(folder, 'work'),
    ...{ clock: createSystemClock(), logger: createSilentLogger() },
  });
  let count = 0;
  return {
    builder,
    place,
    async build(
      files: Readonly<Record<string, string>>,
      { owner = OWNER, signal = new AbortController().signal, onLine = (_line: string) => {} } = {},
    ) {
      const pack = tar.pack();
      for (const [name, content] of Object.entries(files)) pack.entry({ name }, content);
      pack.finalize();
      const archive = await builder.receive(Readable.from([gzipSync(await buffer(pack))]));
      count += 1;
      return builder.build({ owner, archive, revision: `r${count}`, onLine }, { signal });
    },
    /** Names of the builder Pods that aren't being deleted. */
    async pods(): Promise<string[]> {
      const { items } = await kube.core.listNamespacedPod({ namespace, labelSelector: `${BUILD_LABEL}=${platformId}` });
      return items.filter(({ metadata }) => !metadata?.deletionTimestamp).map(({ metadata }) => metadata?.name ?? '');
    },
    deletePods: () => kube.core.deleteCollectionNamespacedPod({ namespace, gracePeriodSeconds: 0 }),
    async [Symbol.asyncDispose]() {
      await builder.close?.();
      await kube.core.deleteNamespace({ name: namespace });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

if (!found) {
  test.skip('this machine has no KUBECONFIG and BERTH_TEST_REGISTRY', () => {});
} else {
  describe('builds on a cluster', { timeout: 240_000 }, () => {
    // One fixture, since a new account has to pull its base images first.
    test('run in a Pod of the account, which is kept while nothing of them runs', async () => {
      await using fixture = await open(found);
      const { build, pods, place } = fixture;
      const first = await build(APP);
      expect(first.artifact).toMatchObject({
        reference: expect.stringMatching(/^10\.|@sha256:[0-9a-f]{64}$/),
        user: { uid: 10_001 },
      });
      const [warm, ...others] = await pods();
      expect(others).toEqual([]);

      const failed = build({ Dockerfile: `FROM ${place}/debian:13-slim\nRUN echo before; exit 3\nCMD ["true"]` });
      await expect(failed).rejects.toMatchObject({
        code: 'build_failed',
        message: 'RUN echo before; exit 3 (step 2/3) exited with 3',
        details: { logs: expect.arrayContaining(['before']) },
      });
      await expect.poll(pods).toEqual([warm]);

      // Fails when a project's commands see the registry's credentials, a token of the cluster or another build's files.
      const spies = build({
        Dockerfile: `FROM ${place}/debian:13-slim\nRUN ls -d /auth /context/server.js /var/run/secrets/kubernetes.io 2>&1; env\nCMD ["true"]`,
      });
      await spies;

      // Fails when a program without a USER can't write beside its code, as it can on other platforms, where it is root.
      const lines: string[] = [];
      const files = {
        Dockerfile: `FROM ${place}/debian:13-slim\nWORKDIR /srv/app\nCOPY . .\nCMD ["true"]`,
        'a.txt': '',
      };
      await build(files, { onLine: (line) => lines.push(line) });
      expect(lines).toContain('The image has no USER: /srv/app is given to user 10001, which it runs as');

      const stays = `FROM ${place}/debian:13-slim\nRUN setsid sleep 600 > /dev/null 2>&1 &\nCMD ["true"]`;
      await build({ Dockerfile: stays });
      await expect.poll(pods, { timeout: 20_000 }).toEqual([]);
    });

    test('start again when their Pod is lost, and end with it when they are canceled', async () => {
      await using fixture = await open(found);
      const { build, pods, deletePods, place } = fixture;
      const slow = { Dockerfile: `FROM ${place}/debian:13-slim\nRUN echo begun; sleep 5\nCMD ["true"]` };
      const lines: string[] = [];
      const losing = build(slow, {
        onLine: (line) => {
          if (line === 'begun' && !lines.includes('begun')) void deletePods();
          lines.push(line);
        },
      });
      expect((await losing).artifact.kind).toBe('image');
      expect(lines.filter((line) => line === 'begun')).toHaveLength(2);
      expect(lines.join('\n')).toContain('The build starts again.');

      const canceled = new AbortController();
      const ended = build(
        { Dockerfile: `FROM ${place}/debian:13-slim\nRUN echo begun; sleep 60\nCMD ["true"]` },
        { signal: canceled.signal, onLine: (line) => line === 'begun' && canceled.abort(new Error('enough')) },
      );
      await expect(ended).rejects.toMatchObject({ code: 'cancelled' });
      await expect.poll(pods, { timeout: 20_000 }).toEqual([]);
    });
  });
}
