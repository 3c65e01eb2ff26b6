import { expect, it } from 'vitest';
import { type BuildPolicy, buildPodOf } from './build-pod.ts';

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
  name: 'build-1',
  reference: 'registry.example.com/acme/shop:shop-00001',
  limits: { memoryBytes: 2 ** 31, cpuMillis: 2_000, diskBytes: 2 ** 30 },
  timeoutSeconds: 600,
};
const { spec } = buildPodOf(PLAN, POLICY);

// Fails when commands of a project run beside the registry's credentials or a token of the cluster.
it('gives the credentials to the container that runs nothing of the project', () => {
  const [context, build] = spec?.initContainers ?? [];
  const [push] = spec?.containers ?? [];
  const mounts = [context, build, push].map((one) => one?.volumeMounts?.map(({ name }) => name));
  expect(mounts).toEqual([['context'], ['context', 'work'], ['work', 'auth']]);
  expect(spec?.automountServiceAccountToken).toBe(false);
  expect(JSON.stringify(spec)).not.toMatch(/privileged|hostPath|hostNetwork/);
});

it('passes arguments as they are, and bounds what a build uses', () => {
  const build = spec?.initContainers?.[1];
  expect(build?.command).toContain('--build-arg=MIRROR=https://mirror.example.com/$$(HOSTNAME)');
  expect(build?.resources?.limits).toEqual({ memory: String(2 ** 31), cpu: '2000m' });
  expect(spec?.activeDeadlineSeconds).toBe(600);
  expect(spec?.hostUsers).toBe(false);
});
