import { expect, it } from 'vitest';
import { type ImageSpec, type PodPolicy, podOf } from './pod-spec.ts';

const POLICY: PodPolicy = {
  platformId: 'p1',
  cpuRequestRatio: 0.1,
  memoryRequestRatio: 0.5,
  diskBytes: 2 ** 30,
  runtimeClass: undefined,
  hasUserNamespaces: false,
  volumeGroup: 10_002,
  volumesPath: '',
  pullSecret: undefined,
  nodeLossSeconds: 10,
};
const SPEC: ImageSpec = {
  instanceId: 'inst_1' as never,
  owner: { account: 'acme', deployment: 'shop' },
  revision: 'shop-00001',
  artifact: { kind: 'image', reference: 'registry.example.com/shop@sha256:00', name: 'shop' },
  env: { PASSWORD: 'hunter2' },
  port: 8080,
  memoryBytes: 256 * 2 ** 20,
  cpuMillis: 500,
  mounts: [],
  output: () => {},
};
const REFERENCES = {
  owner: { apiVersion: 'v1', kind: 'ConfigMap', name: 'shop-00001', uid: 'u' },
  environment: 'shop-env',
};
const make = (changes: Partial<ImageSpec> = {}, policy: Partial<PodPolicy> = {}) =>
  podOf({ ...SPEC, ...changes }, 'berth-acme', REFERENCES, { ...POLICY, ...policy });

// Fails when a value of the environment is in the Pod, which people who may list Pods can read.
it('has its environment by reference', () => {
  const pod = make();
  expect(JSON.stringify(pod)).not.toContain('hunter2');
  expect(pod.spec?.containers[0]?.envFrom).toEqual([{ secretRef: { name: 'shop-env' } }]);
  expect(pod.spec?.containers[0]?.env).toEqual([{ name: 'PORT', value: '8080' }]);
});

it('meets the restricted Pod Security Standard', () => {
  const { securityContext, containers, automountServiceAccountToken, hostNetwork } = make().spec ?? {};
  expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(containers?.[0]?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
  expect([automountServiceAccountToken, hostNetwork]).toEqual([false, undefined]);
});

it('requests a share of its limits', () => {
  const { limits, requests } = make().spec?.containers[0]?.resources ?? {};
  expect(limits).toMatchObject({ memory: String(256 * 2 ** 20), cpu: '500m' });
  expect(requests).toMatchObject({ memory: String(128 * 2 ** 20), cpu: '50m' });
});

// Fails when Kubernetes replaces what the program should get as it is.
it('runs a command as it is', () => {
  expect(make({ command: ['sh', '-c', 'echo $(HOME) $HOME $$(x)'] }).spec?.containers[0]?.command).toEqual([
    'sh',
    '-c',
    'echo $$(HOME) $HOME $$$(x)',
  ]);
});

it('mounts folders of volumes by their path below the claim', () => {
  const mounts = [
    { volume: 'acme/v1', subPath: '', target: '/data', isReadOnly: false },
    { volume: 'acme/v1', subPath: 'a/b', target: '/in', isReadOnly: true },
  ];
  const { spec } = make({ mounts });
  expect(spec?.volumes).toEqual([{ name: 'volumes', persistentVolumeClaim: { claimName: 'berth-volumes' } }]);
  expect(spec?.containers[0]?.volumeMounts).toEqual([
    { name: 'volumes', mountPath: '/data', subPath: 'acme/v1', readOnly: false },
    { name: 'volumes', mountPath: '/in', subPath: 'acme/v1/a/b', readOnly: true },
  ]);
  expect(spec?.securityContext?.supplementalGroups).toEqual([10_002]);
});

// Fails when a Pod of another configuration is taken for one that a start would make.
it('says whether it is a service, which another process may adopt', () => {
  const kindOf = (pod: ReturnType<typeof make>) => pod.metadata?.labels?.['berth.dev/kind'];
  expect([kindOf(make()), kindOf(make({ command: ['migrate'] }))]).toEqual(['service', 'command']);
});
