import { createSingleFlight } from '@berth/kit';
import type {
  KubernetesObject,
  V1LimitRange,
  V1Namespace,
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1ResourceQuota,
} from '@kubernetes/client-node';
import type { Kube } from '../api/kube.ts';
import { type RegistryOptions, registrySecret } from '../api/registry.ts';
import { namespaceLabels, namespaceOf } from '../pod/names.ts';
import { ensureVolumeClaim, type VolumeSource } from './volume-claims.ts';

/** Ports of Pods of the cluster. */
export interface PodPorts {
  readonly namespace: string;
  /** Labels that the Pods have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
}

/** The operator's settings of the accounts' namespaces. */
export interface NamespacePolicy {
  readonly platformId: string;
  /** Prefix of the names of namespaces. */
  readonly prefix: string;
  /** Namespace of Berth's own Pods, whose gateways reach services. */
  readonly berthNamespace: string;
  /** Address ranges that no service may reach, besides those of {@link PRIVATE_RANGES}: the cluster's nodes, Pods and services. */
  readonly blockedRanges: readonly string[];
  /**
   * Where the platform's public addresses lead to: its servers, an ingress controller. Inside of a cluster, connections to a load balancer
   * become connections to its Pods, so a service that calls another one by its address needs them.
   */
  readonly publicPods: readonly PodPorts[];
  /** The platform's claim for volumes. Undefined: volumes can't be mounted. */
  readonly volumes: VolumeSource | undefined;
  /** The registry of the services' images. */
  readonly registry?: RegistryOptions;
  /** Maximum Pods of an account. */
  readonly maxPods: number;
  /** Maximum sum of the memory limits of an account's Pods. */
  readonly maxMemoryBytes: number;
  /** Maximum sum of the CPU limits of an account's Pods, in thousandths. */
  readonly maxCpuMillis: number;
}

/**
 * Addresses that are not on the internet: private networks, the carrier's, this host, link-local ones with the metadata of clouds, multicast.
 * Source: RFC 6890.
 */
export const PRIVATE_RANGES = {
  v4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '224.0.0.0/3',
  ],
  v6: ['::1/128', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
} as const;

/** The namespaces of accounts. */
export interface AccountNamespaces {
  /** Returns the account's namespace, which it makes, with all that confines its Pods, on first use. */
  ensure(account: string): Promise<string>;
  /** Makes sure of the account's namespace again at its next use. */
  forget(account: string): void;
  nameOf(account: string): string;
}

export function createAccountNamespaces(kube: Kube, policy: NamespacePolicy): AccountNamespaces {
  const known = new Set<string>();
  const flights = createSingleFlight<void>();
  const nameOf = (account: string) => namespaceOf(policy.prefix, account);
  return {
    nameOf,
    forget: (account) => void known.delete(nameOf(account)),
    async ensure(account) {
      const name = nameOf(account);
      if (known.has(name)) return name;
      await flights.run(name, async () => {
        const [namespace, ...contents] = namespaceObjects(account, policy) as readonly [
          V1Namespace,
          ...KubernetesObject[],
        ];
        await kube.apply(namespace);
        // Nothing starts in it before everything that confines it is there.
        await Promise.all(contents.map((object) => kube.apply(object)));
        const secret =
          policy.registry && registrySecret(policy.registry, name, namespaceLabels(policy.platformId, account));
        if (secret) await kube.apply(secret);
        if (policy.volumes)
          await ensureVolumeClaim(kube, policy.volumes, policy.platformId, { account, namespace: name });
      });
      known.add(name);
      return name;
    },
  };
}

/** Returns the objects of an account's namespace; the namespace is the first. */
export function namespaceObjects(
  account: string,
  policy: NamespacePolicy,
): readonly [V1Namespace, V1NetworkPolicy, V1ResourceQuota, V1LimitRange] {
  const namespace = namespaceOf(policy.prefix, account);
  const labels = namespaceLabels(policy.platformId, account);
  const metadata = { name: 'berth', namespace, labels };
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: {
          ...labels,
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/enforce-version': 'latest',
        },
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            _from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': policy.berthNamespace } } }],
          },
        ],
        egress: [...openEgress(policy.blockedRanges), ...policy.publicPods.map(toPods)],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata,
      spec: {
        hard: {
          pods: String(policy.maxPods),
          'limits.memory': String(policy.maxMemoryBytes),
          'limits.cpu': `${policy.maxCpuMillis}m`,
          // Services of these kinds would open ports of nodes, or cost money.
          'services.nodeports': '0',
          'services.loadbalancers': '0',
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata,
      spec: {
        limits: [
          {
            type: 'Container',
            // For Pods that name no limits, which none of Berth's does.
            _default: { memory: '256Mi', cpu: '250m', 'ephemeral-storage': '256Mi' },
            defaultRequest: { memory: '64Mi', cpu: '50m' },
          },
        ],
      },
    },
  ];
}

function toPods({ namespace, labels, ports }: PodPorts): V1NetworkPolicyEgressRule {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return {
    to: [{ namespaceSelector, podSelector: { matchLabels: { ...labels } } }],
    ports: ports.map((port) => ({ protocol: 'TCP', port })),
  };
}

/** Returns the rules that let Pods reach the internet and DNS: no other Pod, no node, no API server, no metadata address. */
export function openEgress(blockedRanges: readonly string[]): V1NetworkPolicyEgressRule[] {
  const blocked = (family: 'v4' | 'v6') => [
    ...PRIVATE_RANGES[family],
    ...blockedRanges.filter((range) => range.includes(':') === (family === 'v6')),
  ];
  return [
    {
      to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
      ports: [
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    },
    {
      to: [
        { ipBlock: { cidr: '0.0.0.0/0', except: [...blocked('v4')] } },
        { ipBlock: { cidr: '::/0', except: [...blocked('v6')] } },
      ],
    },
  ];
}
