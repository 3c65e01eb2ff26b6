import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import { makeInformer, type V1Pod } from '@kubernetes/client-node';
import type { Kube } from './kube.ts';

/** The Pods of a platform, as the API server reports them. */
export interface PodWatch {
  /** The Pods that exist. */
  list(): readonly V1Pod[];
  /**
   * Calls `listener` with each change of a Pod, and at once with its present state when it is known; with undefined when it was deleted.
   * Returns a function that unsubscribes.
   */
  follow(namespace: string, name: string, listener: (pod: V1Pod | undefined) => void): () => void;
  close(): Promise<void>;
}

/** Pause after an error of the watch. The library reconnects by itself only after the end of a watch. */
const RETRY_MS = 1_000;

/** Options of {@link openPodWatch}. */
export interface PodWatchOptions {
  readonly kube: Pick<Kube, 'config' | 'core'>;
  /** Label selector of the Pods. */
  readonly selector: string;
  /** Only the Pods of this node. */
  readonly node?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Watches the Pods of all namespaces. Resolves when those that exist are known. A watch that ends, times out or is refused begins again with a
 * list, whose differences are reported as changes.
 * @throws what the API server answers to the first list
 */
export async function openPodWatch({ kube, selector, node, clock, logger }: PodWatchOptions): Promise<PodWatch> {
  const fieldSelector = node === undefined ? undefined : `spec.nodeName=${node}`;
  const list = () =>
    kube.core.listPodForAllNamespaces({
      labelSelector: selector,
      ...(fieldSelector !== undefined && { fieldSelector }),
    });
  const path = fieldSelector === undefined ? '/api/v1/pods' : `/api/v1/pods?${new URLSearchParams({ fieldSelector })}`;
  // Before the informer, which reports a failed list only as an event.
  await list();
  const informer = makeInformer<V1Pod>(kube.config, path, list, selector);
  const listeners = new Map<string, Set<(pod: V1Pod | undefined) => void>>();
  const keyOf = (namespace: string, name: string) => `${namespace}/${name}`;
  const tell = (pod: V1Pod, isGone: boolean) => {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    for (const listener of [...(listeners.get(keyOf(namespace, name)) ?? [])]) listener(isGone ? undefined : pod);
  };
  let timer: Timer | undefined;
  let isClosed = false;
  informer.on('add', (pod) => tell(pod, false));
  informer.on('update', (pod) => tell(pod, false));
  informer.on('delete', (pod) => tell(pod, true));
  informer.on('error', (error) => {
    if (isClosed) return;
    logger.warn({ error: describeError(error) }, 'the watch of Pods was interrupted; it begins again');
    timer?.cancel();
    timer = clock.setTimer(RETRY_MS, () => runInBackground('watch Pods', informer.start(), logger));
  });
  await informer.start();
  return {
    list: () => informer.list(),
    follow(namespace, name, listener) {
      const key = keyOf(namespace, name);
      const own = listeners.get(key) ?? new Set();
      listeners.set(key, own.add(listener));
      const known = informer.get(name, namespace);
      if (known) listener(known);
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(key);
      };
    },
    async close() {
      isClosed = true;
      timer?.cancel();
      await informer.stop();
    },
  };
}
