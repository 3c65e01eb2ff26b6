import type { BuildLimits, ImageSource } from '@berth/builder/image';
import type { V1Pod } from '@kubernetes/client-node';

/** Label of build Pods. Its value is the id of the platform. */
export const BUILD_LABEL = 'berth.dev/builds-of';

/** The operator's settings of builds. */
export interface BuildPolicy {
  readonly platformId: string;
  readonly namespace: string;
  /** An image with buildah and tar; see deploy/images/builder. */
  readonly image: string;
  /** Name of the Secret (kubernetes.io/dockerconfigjson) with the registry's credentials, in the namespace. */
  readonly pushSecret: string | undefined;
  /** The registry has no TLS. */
  readonly isPlain: boolean;
  readonly runtimeClass: string | undefined;
  /** Pods have a user namespace of their own (`hostUsers: false`). */
  readonly hasUserNamespaces: boolean;
}

/** One build. */
export interface BuildPlan extends Pick<ImageSource, 'dockerfile' | 'buildArgs'> {
  readonly name: string;
  /** Reference with a tag, to which the image is pushed. */
  readonly reference: string;
  readonly limits: Pick<BuildLimits, 'memoryBytes' | 'cpuMillis' | 'diskBytes'>;
  readonly timeoutSeconds: number;
}

/** The containers of a build Pod, in the order in which they run. */
export const STAGES = ['context', 'build', 'push'] as const;
/** A container of a build Pod. */
export type Stage = (typeof STAGES)[number];

const LOCAL = 'localhost/berth:build';
const CONTEXT = '/context';
const WORK = '/work';
const AUTH = '/auth';
const STORAGE = [`--root=${WORK}/root`, `--runroot=${WORK}/run`, '--storage-driver=overlay'];

/**
 * Returns the Pod of a build. The first container unpacks the context, which it is sent; the second one runs the project's own commands; only the
 * third one has the registry's credentials. Root in the second one is root of a user namespace that buildah makes, for which the runtime's default
 * filter of system calls is too strict.
 */
export function buildPodOf(plan: BuildPlan, policy: BuildPolicy): V1Pod {
  const { image, isPlain, pushSecret } = policy;
  const { memoryBytes, cpuMillis, diskBytes } = plan.limits;
  const tls = isPlain ? ['--tls-verify=false'] : [];
  const limits = { memory: String(memoryBytes), cpu: `${cpuMillis}m` };
  const work = { name: 'work', mountPath: WORK };
  const resources = { limits, requests: { memory: '64Mi', cpu: '100m' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: plan.name,
      namespace: policy.namespace,
      labels: { 'app.kubernetes.io/managed-by': 'berth', [BUILD_LABEL]: policy.platformId },
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      activeDeadlineSeconds: plan.timeoutSeconds,
      terminationGracePeriodSeconds: 0,
      ...(policy.hasUserNamespaces && { hostUsers: false }),
      ...(policy.runtimeClass !== undefined && { runtimeClassName: policy.runtimeClass }),
      initContainers: [
        {
          name: 'context' satisfies Stage,
          image,
          command: ['tar', '-x', '-f', '-', '--no-same-owner', '-C', CONTEXT],
          stdin: true,
          stdinOnce: true,
          volumeMounts: [{ name: 'context', mountPath: CONTEXT }],
          securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } },
          resources,
        },
        {
          name: 'build' satisfies Stage,
          image,
          command: [
            ...['buildah', ...STORAGE, 'bud', '--isolation=chroot', '--layers=false', '--format=docker'],
            ...[`--file=${CONTEXT}/${plan.dockerfile}`, `--tag=${LOCAL}`, ...tls],
            ...Object.entries(plan.buildArgs).map(([name, value]) => `--build-arg=${name}=${value}`),
            CONTEXT,
          ].map(escapeReferences),
          volumeMounts: [{ name: 'context', mountPath: CONTEXT, readOnly: true }, work],
          securityContext: { seccompProfile: { type: 'Unconfined' } },
          resources,
        },
      ],
      containers: [
        {
          name: 'push' satisfies Stage,
          image,
          command: [
            ...['buildah', ...STORAGE, 'push', '--quiet', '--digestfile=/dev/termination-log', ...tls],
            ...(pushSecret === undefined ? [] : [`--authfile=${AUTH}/.dockerconfigjson`]),
            ...[LOCAL, `docker://${plan.reference}`],
          ],
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: [
            work,
            ...(pushSecret === undefined ? [] : [{ name: 'auth', mountPath: AUTH, readOnly: true }]),
          ],
          securityContext: { seccompProfile: { type: 'Unconfined' } },
          resources,
        },
      ],
      volumes: [
        { name: 'context', emptyDir: { sizeLimit: String(diskBytes) } },
        { name: 'work', emptyDir: { sizeLimit: String(3 * diskBytes) } },
        ...(pushSecret === undefined ? [] : [{ name: 'auth', secret: { secretName: pushSecret } }]),
      ],
    },
  };
}

/** Kubernetes replaces `$(NAME)` in commands. */
function escapeReferences(argument: string): string {
  return argument.replaceAll('$(', () => '$$(');
}
