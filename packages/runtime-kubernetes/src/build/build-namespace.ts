import type { V1Namespace, V1NetworkPolicy } from '@kubernetes/client-node';
import { openEgress } from '../account/account-namespaces.ts';
import type { Kube } from '../api/kube.ts';
import { type RegistryOptions, registrySecret } from '../api/registry.ts';
import { PLATFORM_LABEL } from '../pod/names.ts';
import type { BuildPolicy } from './build-pod.ts';

/** The networks that builds may reach. */
export interface BuildNetwork {
  readonly blockedRanges: readonly string[];
  readonly allowedRanges: readonly string[];
}

/** Makes the namespace of builds, in which no Pod reaches another one, a node, the API server or the metadata address. */
export async function ensureBuildNamespace(
  kube: Kube,
  {
    policy,
    blockedRanges,
    allowedRanges,
    registry,
  }: BuildNetwork & { readonly policy: BuildPolicy; readonly registry: RegistryOptions },
): Promise<void> {
  const labels = { 'app.kubernetes.io/managed-by': 'berth', [PLATFORM_LABEL]: policy.platformId };
  await kube.apply<V1Namespace>({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: policy.namespace,
      labels: {
        // Without `managed-by`: the chart may have made it.
        [PLATFORM_LABEL]: policy.platformId,
        // buildah makes a user namespace, which the stricter levels don't allow.
        'pod-security.kubernetes.io/enforce': 'privileged',
      },
    },
  });
  const secret = registrySecret(registry, policy.namespace, labels);
  if (secret) await kube.apply(secret);
  await kube.apply<V1NetworkPolicy>({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'berth', namespace: policy.namespace, labels },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [
        ...openEgress(blockedRanges),
        ...(allowedRanges.length > 0 ? [{ to: allowedRanges.map((cidr) => ({ ipBlock: { cidr } })) }] : []),
      ],
    },
  });
}
