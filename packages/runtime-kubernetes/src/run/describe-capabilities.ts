import type { Capability } from '@berth/runtime';
import { enforced, missing, partial } from '@berth/runtime/drivers';
import type { PodPolicy } from '../pod/pod-spec.ts';

/** A limit whose enforcement a cluster doesn't report. */
export type ClusterLimit = 'network-policy' | 'process-limit' | 'disk-limit';

/**
 * Describes what a cluster enforces as the capabilities that `berth doctor` prints.
 * @param clusterEnforces limits that the operator vouches for
 */
export function describeCapabilities(
  { runtimeClass, hasUserNamespaces }: Pick<PodPolicy, 'runtimeClass' | 'hasUserNamespaces'>,
  clusterEnforces: readonly ClusterLimit[] = [],
): Capability[] {
  const unlessVouched = (limit: ClusterLimit, detail: string, remedy: string) =>
    clusterEnforces.includes(limit)
      ? enforced(`${detail} The operator says that this cluster enforces it.`)
      : partial(detail, `${remedy} Then add ${limit} to BERTH_CLUSTER_ENFORCES.`);
  const how = runtimeClass === undefined ? 'Pod Security "restricted"' : `Pod Security "restricted", ${runtimeClass}`;
  const held = enforced(`Enforced by the nodes' kernels (${how}).`);
  return [
    {
      ...{ id: 'sandbox', title: 'Sandbox' },
      ...enforced(
        `Each instance is a Pod in its account's namespace, without capabilities or new privileges (${how}).`,
      ),
    },
    {
      ...{ id: 'user-isolation', title: 'No service runs as root' },
      ...enforced(
        hasUserNamespaces
          ? 'Pods have user namespaces of their own, and images that request root are refused.'
          : 'Images that request root are refused.',
      ),
    },
    { ...{ id: 'syscall-filter', title: 'System call filter' }, ...enforced("By the container runtime's profile.") },
    { id: 'memory-limit', title: 'Memory limit', ...held },
    { id: 'cpu-limit', title: 'CPU limit', ...held },
    {
      ...{ id: 'process-limit', title: 'Limit of processes' },
      ...unlessVouched(
        'process-limit',
        "Each node's kubelet limits the processes of a Pod (podPidsLimit), where it is set.",
        'Set podPidsLimit in the configuration of the kubelets.',
      ),
    },
    {
      ...{ id: 'disk-limit', title: 'Disk limit' },
      ...unlessVouched(
        'disk-limit',
        'The kubelets measure the disk use of Pods; Pods over their limit are evicted.',
        'Enable LocalStorageCapacityIsolationFSQuotaMonitoring with project quotas on the nodes.',
      ),
    },
    ...describeNetwork(clusterEnforces.includes('network-policy') ? 'vouched' : 'unknown'),
  ];
}

/** Knowledge about a cluster's network plugin: none, the operator's word, or the result of a build's check. */
type PolicyEnforcement = 'unknown' | 'vouched' | 'enforced' | 'missing';

/** Describes the network of services and builds. */
export function describeNetwork(enforcement: PolicyEnforcement): Capability[] {
  const describe = (policy: string) =>
    ({
      unknown: partial(
        `${policy}, if the network plugin enforces policies. The next build checks that.`,
        `${REMEDY} Then add network-policy to BERTH_CLUSTER_ENFORCES.`,
      ),
      vouched: enforced(`${policy}. The operator says that this cluster enforces it; the next build checks that.`),
      enforced: enforced(`${policy}. A build has checked that.`),
      missing: missing(`${policy}, but the network plugin doesn't enforce policies.`, REMEDY),
    })[enforcement];
  return [
    {
      ...{ id: 'network-isolation', title: 'Network isolation' },
      ...describe('A NetworkPolicy lets services and builds reach the internet and DNS only'),
    },
    {
      ...{ id: 'metadata-address', title: "Cloud's metadata address" },
      ...describe('A NetworkPolicy refuses connections to 169.254.0.0/16'),
    },
  ];
}

/** Clusters don't tell whether policies are enforced. */
const REMEDY = 'Use a network plugin that enforces NetworkPolicy, such as Calico, Cilium or kube-router (k3s has it).';
