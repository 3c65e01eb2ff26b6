import { DEPLOY_ERROR_CODES } from '@berth/contract';
import type { DeployResult } from '@berth/control';
import type { ServiceLoad } from '@berth/gateway';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createGatewayMetrics } from './create-gateway-metrics.ts';
import type { GatewayListener } from './fan-out-gateway-events.ts';

/** What the platform measures of itself. */
export interface PlatformMetrics {
  /** For the gateway's events. */
  readonly listener: GatewayListener;
  onDeployEnded(result: DeployResult): void;
  /** `Content-Type` of a scrape. */
  readonly contentType: string;
  /** Everything in the Prometheus text format; gauges are of the `loads` given. */
  scrape(loads: Iterable<ServiceLoad>): Promise<string>;
}

/** Starts to measure, the process included. */
export function createPlatformMetrics({ version }: { readonly version: string }): PlatformMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gateway = createGatewayMetrics({ registry });
  new Gauge({
    name: 'berth_build_info',
    help: 'Always 1; what runs is in the labels',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.versions.node }, 1);
  const deploys = new Counter({
    name: 'berth_deploys_total',
    help: 'Deploys that ended, by result: done, or the code of the error',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['done', ...DEPLOY_ERROR_CODES] as const) deploys.inc({ result }, 0);

  return {
    listener: gateway,
    onDeployEnded: (result) => deploys.inc({ result }),
    contentType: registry.contentType,
    async scrape(loads) {
      gateway.refresh(loads);
      return `${await registry.metrics()}\n${gateway.durationText()}`;
    },
  };
}
