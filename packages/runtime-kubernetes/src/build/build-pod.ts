import type { BuildLimits, ImageSource } from '@berth/builder/image';
import type { V1Pod } from '@kubernetes/client-node';

/** Label of builder Pods. Its value is the id of the platform. */
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

/** A Pod in which one account's builds run, one after another. */
export interface BuilderPodPlan {
  readonly name: string;
  readonly limits: Pick<BuildLimits, 'memoryBytes' | 'cpuMillis' | 'diskBytes'>;
  /** The Pod ends after this time, even if the server that made it is gone. */
  readonly lifetimeSeconds: number;
}

/** One build. */
export interface BuildPlan extends Pick<ImageSource, 'dockerfile' | 'buildArgs'> {
  /** Reference with a tag, to which the image is pushed. */
  readonly reference: string;
  readonly timeoutSeconds: number;
}

/** A container of a builder Pod. */
export type BuilderContainer = 'build' | 'push';

/** The image of the build under way. */
export const LOCAL = 'localhost/berth:build';
const CONTEXT = '/context';
const WORK = '/work';
const AUTH = '/auth';
const DIGEST_FILE = '/dev/stdout';
const STORAGE = [`--root=${WORK}/root`, `--runroot=${WORK}/run`, '--storage-driver=overlay'];
/** buildah records here which blobs the registry has, and in which compressed form. */
const BLOB_CACHE = '/var/lib/containers/cache';

/**
 * Returns a Pod that waits for builds. The first container runs the projects' own commands; only the second one has the registry's credentials.
 * Root in both is root of a user namespace that buildah makes, for which the runtime's default filter of system calls is too strict.
 */
export function builderPodOf(plan: BuilderPodPlan, policy: BuildPolicy): V1Pod {
  const { image, pushSecret } = policy;
  const { memoryBytes, cpuMillis, diskBytes } = plan.limits;
  const shared = {
    image,
    command: ['sleep', String(plan.lifetimeSeconds)],
    securityContext: { seccompProfile: { type: 'Unconfined' } },
    resources: {
      limits: { memory: String(memoryBytes), cpu: `${cpuMillis}m` },
      requests: { memory: '64Mi', cpu: '100m' },
    },
  };
  const storage = [
    { name: 'work', mountPath: WORK, subPath: 'storage' },
    { name: 'work', mountPath: BLOB_CACHE, subPath: 'blobs' },
  ];
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
      activeDeadlineSeconds: plan.lifetimeSeconds,
      terminationGracePeriodSeconds: 0,
      ...(policy.hasUserNamespaces && { hostUsers: false }),
      ...(policy.runtimeClass !== undefined && { runtimeClassName: policy.runtimeClass }),
      containers: [
        {
          ...shared,
          name: 'build' satisfies BuilderContainer,
          volumeMounts: [{ name: 'context', mountPath: CONTEXT }, ...storage],
        },
        {
          ...shared,
          name: 'push' satisfies BuilderContainer,
          volumeMounts: [
            ...storage,
            ...(pushSecret === undefined ? [] : [{ name: 'auth', mountPath: AUTH, readOnly: true }]),
          ],
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

/** Removes the context of the build before. Runs in `build`. */
export const CLEAN = ['find', CONTEXT, '-mindepth', '1', '-delete'];

/** Unpacks the context, a tar on standard input. Runs in `build`. */
export const UNPACK = ['tar', '-x', '-f', '-', '--no-same-owner', '-C', CONTEXT];

/** Lists the processes of a container: `1` and `find` itself when no process of a build is left. Runs in `build`. */
export const LIST_PROCESSES = ['find', '/proc', '-maxdepth', '1', '-regex', '/proc/[0-9]+'];

/** Prints the size of the storage in bytes, followed by its path. Runs in `push`, to which no process of a project belongs. */
export const MEASURE = ['du', '-s', '-B1', WORK];

/** Connects to the API server, which the NetworkPolicy forbids; ends with 0 when it can. Runs in `build`. */
export const REACH_API_SERVER = [
  ...['timeout', '3', 'bash', '-c'],
  'exec 3<>"/dev/tcp/$KUBERNETES_SERVICE_HOST/$KUBERNETES_SERVICE_PORT"',
];

/** Prints the user, the WORKDIR and the number of ONBUILD triggers of the built image, each in a line. Runs in `build`. */
export const INSPECT = [
  ...['buildah', ...STORAGE, 'inspect', '--type=image', '--format'],
  '{{.Docker.Config.User}}\n{{.Docker.Config.WorkingDir}}\n{{len .Docker.Config.OnBuild}}',
  LOCAL,
];

/** Builds the image. Runs in `build`. */
export function buildCommand(plan: Pick<BuildPlan, 'dockerfile' | 'buildArgs'>, { isPlain }: BuildPolicy): string[] {
  return [
    ...['buildah', ...STORAGE, 'bud', '--isolation=chroot', '--layers', '--format=docker'],
    ...[`--file=${CONTEXT}/${plan.dockerfile}`, `--tag=${LOCAL}`, ...(isPlain ? ['--tls-verify=false'] : [])],
    ...Object.entries(plan.buildArgs).map(([name, value]) => `--build-arg=${name}=${value}`),
    CONTEXT,
  ];
}

/** Pushes the image and prints its digest. Runs in `push`. */
export function pushCommand(plan: BuildPlan, { isPlain, pushSecret }: BuildPolicy): string[] {
  return [
    ...['buildah', ...STORAGE, 'push', '--quiet', `--digestfile=${DIGEST_FILE}`],
    ...(isPlain ? ['--tls-verify=false'] : []),
    ...(pushSecret === undefined ? [] : [`--authfile=${AUTH}/.dockerconfigjson`]),
    ...[LOCAL, `docker://${plan.reference}`],
  ];
}
