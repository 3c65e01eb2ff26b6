import type { Clock, Logger } from '@berth/kit';
import type { Kube } from './api/kube.ts';
import { openPodWatch } from './api/pod-watch.ts';
import {
  ACCOUNT_LABEL,
  CONTAINER,
  DEPLOYMENT_LABEL,
  INSTANCE_LABEL,
  KIND_LABEL,
  ofPlatform,
  REVISION_LABEL,
} from './pod/names.ts';

/** An instance on a node, and where the node keeps its output. */
export interface NodePod {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  readonly instance: string;
  /** Name of the folder in `/var/log/pods`. */
  readonly folder: string;
  readonly container: string;
}

/** Options of {@link watchNodePods}. */
export interface WatchNodePodsOptions {
  readonly kube: Kube;
  readonly platformId: string;
  readonly node: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Watches the instances of a platform on a node.
 * @throws what the API server answers to the first list
 */
export async function watchNodePods({ platformId, ...options }: WatchNodePodsOptions) {
  const pods = await openPodWatch({ ...options, selector: `${ofPlatform(platformId)},${KIND_LABEL}` });
  return {
    list: (): NodePod[] =>
      pods.list().map(({ metadata }) => {
        const { namespace = '', name = '', uid = '', labels = {} } = metadata ?? {};
        return {
          account: labels[ACCOUNT_LABEL] ?? '',
          deployment: labels[DEPLOYMENT_LABEL] ?? '',
          revision: labels[REVISION_LABEL] ?? '',
          instance: labels[INSTANCE_LABEL] ?? '',
          folder: `${namespace}_${name}_${uid}`,
          container: CONTAINER,
        };
      }),
    close: pods.close,
  };
}
