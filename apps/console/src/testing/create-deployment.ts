import type { DeploymentDetail, DeploySummary } from '@berth/contract';

/** Returns the deployment `shop`, which serves its second revision. */
export function createDeployment(changes: Partial<DeploymentDetail> = {}): DeploymentDetail {
  const revision = (id: string, status: 'ready' | 'failed' | 'retired' | 'building') => ({
    ...{ revision: id, status, created_at: '2026-01-01T00:00:00Z', digest: null },
  });
  return {
    ...{ name: 'shop', url: 'https://shop.berth.test', region: 'local', status: 'ready', revision: 'shop-2' },
    ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-02T00:00:00Z', instances: 1, busy: 0 },
    ...{ port: 8080, memory: '512Mi', cpu: 1, timeout: 300, concurrency: 80, max_instances: 0, min_instances: 0 },
    ...{ session_affinity: false, use_http2: false, volumes: {}, schedule: null, health: null },
    revisions: [revision('shop-3', 'failed'), revision('shop-2', 'ready'), revision('shop-1', 'ready')],
    ...changes,
  };
}

/** Returns a deploy of `shop` that has ended well. */
export function createDeploySummary(changes: Partial<DeploySummary> = {}): DeploySummary {
  return {
    ...{ deploy_id: 'dpl_1', deployment: 'shop', kind: 'deploy', status: 'done', message: 'Done.', code: null },
    ...{ revision: 'shop-2', actor: null, is_cancel_requested: false },
    ...{ created_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:09Z' },
    ...changes,
  };
}
