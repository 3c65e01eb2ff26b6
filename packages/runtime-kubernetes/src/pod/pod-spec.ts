import type { ImageArtifact, InstanceSpec } from '@berth/runtime';
import type { V1OwnerReference, V1Pod, V1Toleration } from '@kubernetes/client-node';
import { ACCOUNT_CLAIM, CONTAINER, INSTANCE_LABEL, KIND_LABEL, podName, revisionLabels } from './names.ts';

/** The operator's settings of all Pods. */
export interface PodPolicy {
  readonly platformId: string;
  /** The share of its CPU limit that an instance requests of its node, from 0 to 1. */
  readonly cpuRequestRatio: number;
  /** The share of its memory limit that an instance requests of its node, from 0 to 1. */
  readonly memoryRequestRatio: number;
  /** Maximum bytes that an instance may write beside its image and its volumes. */
  readonly diskBytes: number;
  /** A RuntimeClass of the cluster, such as `gvisor`. Undefined: its default. */
  readonly runtimeClass: string | undefined;
  /** Pods have a user namespace of their own (`hostUsers: false`). */
  readonly hasUserNamespaces: boolean;
  /** Group that owns volumes. */
  readonly volumeGroup: number;
  /** Folder of all volumes in the claim; empty for its root. */
  readonly volumesPath: string;
  /** Name of the Secret with the registry's credentials, in each account's namespace. */
  readonly pullSecret: string | undefined;
  /** Seconds for which a Pod stays on a node that is not ready or unreachable. */
  readonly nodeLossSeconds: number;
}

/** A spec whose artifact is an image. */
export interface ImageSpec extends InstanceSpec {
  readonly artifact: ImageArtifact;
}

/** The objects that a Pod refers to. */
export interface RevisionReferences {
  readonly owner: V1OwnerReference;
  /** Name of the Secret with the instance's environment. */
  readonly environment: string;
}

/** User and group of images that name none, as in those that Berth generates. */
export const UNPRIVILEGED = 10_001;

/**
 * Seconds from the deletion of a Pod to its SIGTERM. When a node is drained, another instance starts meanwhile and takes the requests;
 * those under way may finish.
 */
export const EVICTION_SECONDS = 5;

/** Seconds that a Pod has after SIGTERM when its node is drained. */
const GRACE_SECONDS = 30;

/** Returns the Pod of an instance. Source: Kubernetes API 1.31, PodSpec; Pod Security Standards, "Restricted". */
export function podOf(
  spec: ImageSpec,
  namespace: string,
  { owner, environment }: RevisionReferences,
  policy: PodPolicy,
): V1Pod {
  const { artifact, command, memoryBytes, cpuMillis, mounts, instanceId } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(spec),
      namespace,
      labels: {
        ...revisionLabels(policy.platformId, spec),
        [INSTANCE_LABEL]: instanceId,
        [KIND_LABEL]: command === undefined ? 'service' : 'command',
      },
      // The autoscaler may move it, although no controller of the cluster would make it again.
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
      ownerReferences: [owner],
    },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: GRACE_SECONDS + (command === undefined ? EVICTION_SECONDS : 0),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostname: spec.owner.deployment.slice(0, 63).replace(/-+$/, ''),
      ...(policy.hasUserNamespaces && { hostUsers: false }),
      ...(policy.runtimeClass !== undefined && { runtimeClassName: policy.runtimeClass }),
      ...(policy.pullSecret !== undefined && { imagePullSecrets: [{ name: policy.pullSecret }] }),
      tolerations: ['not-ready', 'unreachable'].map(
        (taint): V1Toleration => ({
          key: `node.kubernetes.io/${taint}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: policy.nodeLossSeconds,
        }),
      ),
      // The program isn't process 1, which would ignore signals without a handler, and its orphans are reaped.
      shareProcessNamespace: true,
      securityContext: {
        runAsNonRoot: true,
        // Kubernetes would take the group of root, whatever the image says.
        runAsUser: artifact.user?.uid ?? UNPRIVILEGED,
        runAsGroup: artifact.user?.gid ?? UNPRIVILEGED,
        seccompProfile: { type: 'RuntimeDefault' },
        ...(mounts.length > 0 && { supplementalGroups: [policy.volumeGroup] }),
      },
      containers: [
        {
          name: CONTAINER,
          image: artifact.reference,
          ...(command === undefined
            ? { lifecycle: { preStop: { sleep: { seconds: EVICTION_SECONDS } } } }
            : { command: command.map(escapeReferences) }),
          env: [{ name: 'PORT', value: String(spec.port) }],
          envFrom: [{ secretRef: { name: environment } }],
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            limits: {
              memory: String(memoryBytes),
              cpu: `${cpuMillis}m`,
              'ephemeral-storage': String(policy.diskBytes),
            },
            requests: {
              memory: String(Math.ceil(memoryBytes * policy.memoryRequestRatio)),
              cpu: `${Math.ceil(cpuMillis * policy.cpuRequestRatio)}m`,
              'ephemeral-storage': '0',
            },
          },
          volumeMounts: mounts.map(({ volume, subPath, target, isReadOnly }) => ({
            name: 'volumes',
            mountPath: target,
            subPath: [policy.volumesPath, volume, subPath].filter((part) => part !== '').join('/'),
            readOnly: isReadOnly,
          })),
        },
      ],
      ...(mounts.length > 0 && {
        volumes: [{ name: 'volumes', persistentVolumeClaim: { claimName: ACCOUNT_CLAIM } }],
      }),
    },
  };
}

/** Kubernetes replaces `$(NAME)` in commands. */
function escapeReferences(argument: string): string {
  return argument.replaceAll('$(', () => '$$(');
}
