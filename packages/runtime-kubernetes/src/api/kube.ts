import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  NetworkingV1Api,
  PatchStrategy,
} from '@kubernetes/client-node';

/** The API server of a cluster. */
export interface Kube {
  readonly config: KubeConfig;
  readonly core: CoreV1Api;
  readonly networking: NetworkingV1Api;
  /**
   * Creates an object, or changes it to what is given (server-side apply). Fields that others own and that are given too are taken over.
   * Returns the object as stored.
   */
  apply<Kind extends KubernetesObject>(object: Kind): Promise<Kind>;
}

/** The field manager of all objects that Berth applies. */
const FIELD_MANAGER = 'berth';

/**
 * Opens the API server that a kubeconfig names.
 * @param file Path of the kubeconfig. Undefined: `KUBECONFIG`, `~/.kube/config` or the service account of the Pod that this process runs in.
 */
export function openKube(file?: string, context?: string): Kube {
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  if (context !== undefined) config.setCurrentContext(context);
  const objects = KubernetesObjectApi.makeApiClient(config);
  return {
    config,
    core: config.makeApiClient(CoreV1Api),
    networking: config.makeApiClient(NetworkingV1Api),
    apply: (object) =>
      objects.patch(object, undefined, undefined, FIELD_MANAGER, true, PatchStrategy.ServerSideApply) as Promise<
        typeof object
      >,
  };
}

/** Returns the HTTP status of an API server's refusal; undefined for another error. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}

/** Returns what the API server says about a refusal, without its last full stop. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiException)) return error instanceof Error ? error.message : String(error);
  const text = typeof error.body === 'string' ? error.body : JSON.stringify(error.body);
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    if (typeof message === 'string') return message.replace(/\.$/, '');
  } catch {
    // A proxy in front of the API server answered.
  }
  return text.slice(0, 300);
}

/** Returns a handler of rejections that ignores these statuses. */
export function ignoreStatus(...statuses: readonly number[]) {
  return (error: unknown): undefined => {
    const status = statusOf(error);
    if (status === undefined || !statuses.includes(status)) throw error;
    return undefined;
  };
}

/** Translates an error of the API server during a start into an error of the `Runtime` port. Returns all other errors unchanged. */
export function translateStartError(error: unknown): unknown {
  if (BerthError.is(error)) return error;
  const status = statusOf(error);
  const said = messageOf(error);
  // 403 with "exceeded quota": the account's ResourceQuota.
  if (status === 403 && said.includes('exceeded quota')) {
    return createError('out_of_capacity', `The account has no capacity for another instance: ${said}.`, {
      cause: error,
    });
  }
  if (status !== undefined && status < 500 && status !== 429) {
    return createError('start_failed', `Kubernetes refused the instance: ${said}.`, { cause: error });
  }
  return createError('out_of_capacity', `The Kubernetes API is unavailable: ${said}. The start will be tried again.`, {
    cause: error,
  });
}
