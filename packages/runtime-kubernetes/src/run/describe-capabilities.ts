import type { Capability } from '@berth/runtime';
import { enforced, partial } from '@berth/runtime/drivers';
import type { PodPolicy } from '../pod/pod-spec.ts';

/** Describes what a cluster enforces as the capabilities that `berth doctor` prints. */
export function describeCapabilities({ runtimeClass, hasUserNamespaces }: PodPolicy): Capability[] {
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
      ...partial(
        "Each node's kubelet limits the processes of a Pod (podPidsLimit), where it was set to.",
        'Set podPidsLimit in the configuration of the kubelets.',
      ),
    },
    {
      ...{ id: 'disk-limit', title: 'Disk limit' },
      ...partial(
        'The kubelets measure the disk use of Pods; Pods over their limit are evicted.',
        'Enable LocalStorageCapacityIsolationFSQuotaMonitoring with project quotas on the nodes.',
      ),
    },
    {
      ...{ id: 'network-isolation', title: 'Network isolation' },
      ...partial(
        'A NetworkPolicy lets instances reach the internet and DNS only, if the network plugin enforces policies.',
        REMEDY,
      ),
    },
    {
      ...{ id: 'metadata-address', title: "Cloud's metadata address" },
      ...partial(
        'A NetworkPolicy refuses connections to 169.254.0.0/16, if the network plugin enforces policies.',
        REMEDY,
      ),
    },
  ];
}

/** Clusters don't tell whether policies are enforced. */
const REMEDY = 'Use a network plugin that enforces NetworkPolicy, such as Calico, Cilium or kube-router (k3s has it).';
