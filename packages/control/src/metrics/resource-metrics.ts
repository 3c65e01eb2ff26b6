import type { ControlContext } from '../context/control-context.ts';
import { createResourceRecorder, MINUTE_MS, type ResourceRecorder } from './resource-recorder.ts';
import { createResourceUsageStore, type ResourceUsageStore } from './resource-usage-store.ts';

/** CPU and memory of deployments over time. */
export interface ResourceMetrics {
  /** Receives the samples of instances. */
  readonly gatewayListener: Pick<ResourceRecorder, 'onInstance'>;
  /** As in {@link ResourceUsageStore}, up to date when it resolves; `fromMs` is any time of its first minute. */
  readonly list: ResourceUsageStore['list'];
  /** Writes the rest. Idempotent. */
  close(): Promise<void>;
}

export type CreateResourceMetricsOptions = Pick<ControlContext, 'db' | 'clock' | 'logger'>;

export function createResourceMetrics({ db, clock, logger }: CreateResourceMetricsOptions): ResourceMetrics {
  const store = createResourceUsageStore(db);
  const recorder = createResourceRecorder({ store, clock, logger });
  return {
    gatewayListener: recorder,
    async list(account, deployment, fromMs, stepMs, toMs) {
      await recorder.flush();
      return store.list(account, deployment, fromMs - (fromMs % MINUTE_MS), stepMs, toMs);
    },
    close: recorder.close,
  };
}
