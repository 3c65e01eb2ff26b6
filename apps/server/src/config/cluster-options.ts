import { z } from 'zod';
import { option, toggle } from './option.ts';
import { integer, jsonList, list, networks, optionalText, text } from './value-schemas.ts';

const LIMITS_OF_CLUSTERS = ['network-policy', 'process-limit', 'disk-limit'] as const;

const PUBLIC_PODS = '[{"namespace":"kube-system","labels":{"app.kubernetes.io/name":"traefik"},"ports":[8000,8443]}]';
const podPorts = z.object({
  namespace: z.string().min(1),
  labels: z.record(z.string(), z.string()).refine((labels) => Object.keys(labels).length > 0, 'must not be empty'),
  ports: z.array(z.int().min(1).max(65_535)).min(1),
});

/** Settings of servers on Kubernetes. */
export const CLUSTER_OPTIONS = {
  role: option(
    'BERTH_ROLE',
    z.enum(['server', 'collector']).default('server'),
    'server, or collector: reads the output of services on this node of a cluster into the log',
  ),
  nodeName: option('BERTH_NODE_NAME', optionalText, "Name of the collector's node"),
  collector: toggle(
    'BERTH_COLLECTOR',
    'A collector on each node of the cluster reads the output of services; false: the servers follow it',
    true,
  ),
  podLogs: option(
    'BERTH_POD_LOGS',
    text('/var/log/pods'),
    "Folder in which the kubelet of the collector's node keeps the output of Pods",
  ),
  kubePrefix: option(
    'BERTH_KUBE_PREFIX',
    text('berth').refine(
      (prefix) => /^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/.test(prefix),
      'must be lower-case letters, digits and dashes',
    ),
    'Prefix of the namespaces of accounts in the cluster, unique to this platform',
  ),
  kubeNamespace: option(
    'BERTH_KUBE_NAMESPACE',
    text('berth'),
    "Namespace of Berth's own Pods, whose requests reach services",
  ),
  publicPods: option(
    'BERTH_PUBLIC_PODS',
    jsonList(podPorts, PUBLIC_PODS),
    `Pods of the ingress controller, which services may connect to when they call public addresses of the platform, as JSON: ${PUBLIC_PODS}`,
  ),
  registry: option(
    'BERTH_REGISTRY',
    z.url({ protocol: /^https?$/ }).optional(),
    'Registry for images on Kubernetes, with a path for all of them, such as https://registry.example.com/berth',
  ),
  registryUsername: option('BERTH_REGISTRY_USERNAME', optionalText, 'User name for the registry'),
  registryPassword: option('BERTH_REGISTRY_PASSWORD', optionalText, 'and its password', { isSecret: true }),
  registryNetworks: option(
    'BERTH_REGISTRY_NETWORKS',
    networks,
    'Private networks of registries and mirrors that builds on Kubernetes can reach, such as 10.0.5.0/24; comma-separated',
  ),
  builderImage: option('BERTH_BUILDER_IMAGE', optionalText, 'Image for builds on Kubernetes, with buildah and tar'),
  volumeClaim: option(
    'BERTH_VOLUME_CLAIM',
    optionalText,
    "ReadWriteMany claim in Berth's namespace, whose storage is mounted at --shared-folder, such as volumes or volumes/path; for volumes on Kubernetes",
  ),
  runtimeClass: option('BERTH_RUNTIME_CLASS', optionalText, 'RuntimeClass of services on Kubernetes, such as gvisor'),
  userNamespaces: toggle('BERTH_USER_NAMESPACES', 'Give each Pod on Kubernetes a user namespace (hostUsers: false)'),
  clusterEnforces: option(
    'BERTH_CLUSTER_ENFORCES',
    list.pipe(z.array(z.enum(LIMITS_OF_CLUSTERS))),
    `Limits that this cluster enforces, which Kubernetes does not tell: ${LIMITS_OF_CLUSTERS.join(', ')}; comma-separated`,
  ),
  memoryOvercommit: option(
    'BERTH_MEMORY_OVERCOMMIT',
    integer(1, 100, 2),
    'Memory overcommit ratio of services on Kubernetes: the limit divided by what is requested of the node',
  ),
  clusterPort: option(
    'BERTH_CLUSTER_PORT',
    integer(0, 65_535, 7947),
    'Port for the other gateways on Kubernetes; 0 picks one',
  ),
  gatewayLeaseSeconds: option(
    'BERTH_GATEWAY_LEASE',
    integer(1, 60, 3),
    'Seconds after which another gateway takes over the services of a gateway that stopped responding; more where servers get little CPU time',
  ),
  clusterAddress: option(
    'BERTH_CLUSTER_ADDRESS',
    optionalText,
    'IP address at which other gateways reach this one; the first of the machine by default',
  ),
};
