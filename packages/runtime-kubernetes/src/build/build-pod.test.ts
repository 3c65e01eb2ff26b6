import { expect, it } from 'vitest';
import { type BuildPolicy, buildCommand, builderPodOf, pushCommand } from './build-pod.ts';

const POLICY: BuildPolicy = {
  platformId: 'p1',
  namespace: 'berth-builds',
  image: 'builder:1',
  pushSecret: 'berth-registry',
  isPlain: false,
  runtimeClass: undefined,
  hasUserNamespaces: true,
};
const PLAN = {
  dockerfile: 'Dockerfile',
  buildArgs: { MIRROR: 'https://mirror.example.com/$(HOSTNAME)' },
  reference: 'registry.example.com/acme/shop:shop-00001',
  timeoutSeconds: 600,
};
const LIMITS = { memoryBytes: 2 ** 31, cpuMillis: 2_000, diskBytes: 2 ** 30 };
const { spec } = builderPodOf({ name: 'builder-1', limits: LIMITS, lifetimeSeconds: 3_600 }, POLICY);

// Fails when commands of a project run beside the registry's credentials or a token of the cluster.
it('gives the credentials to the container that runs nothing of the project', () => {
  const mounts = spec?.containers.map(({ name, volumeMounts }) => [
    name,
    ...(volumeMounts ?? []).map((one) => one.name),
  ]);
  expect(mounts).toEqual([
    ['build', 'context', 'work', 'work'],
    ['push', 'work', 'work', 'auth'],
  ]);
  expect(buildCommand(PLAN, POLICY).join(' ')).not.toContain('auth');
  expect(pushCommand(PLAN, POLICY)).toContain('--authfile=/auth/.dockerconfigjson');
  expect(spec?.automountServiceAccountToken).toBe(false);
  expect(JSON.stringify(spec)).not.toMatch(/privileged|hostPath|hostNetwork/);
});

it('bounds what builds use, and how long the Pod lives without its server', () => {
  for (const { resources, command } of spec?.containers ?? []) {
    expect(resources?.limits).toEqual({ memory: String(2 ** 31), cpu: '2000m' });
    expect(command).toEqual(['sleep', '3600']);
  }
  expect(spec?.activeDeadlineSeconds).toBe(3_600);
  expect(spec?.hostUsers).toBe(false);
});

it('passes build arguments as they are', () => {
  expect(buildCommand(PLAN, POLICY)).toContain('--build-arg=MIRROR=https://mirror.example.com/$(HOSTNAME)');
});
