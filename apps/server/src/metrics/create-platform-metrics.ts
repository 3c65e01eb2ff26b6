import type { CertificateInfo } from '@berth/certificates';
import { DEPLOY_ERROR_CODES } from '@berth/contract';
import type { DeployResult } from '@berth/control';
import type { ServiceLoad } from '@berth/gateway';
import { Counter, Gauge, Registry } from 'prom-client';
import { createGatewayMetrics } from './create-gateway-metrics.ts';
import type { GatewayListener } from './fan-out-gateway-events.ts';

/** The platform's own metrics. */
export interface PlatformMetrics {
  /** Receives the gateway's events. */
  readonly listener: GatewayListener;
  onDeployEnded(result: DeployResult): void;
  /** Called with the time of the newest backup in the bucket, in epoch milliseconds. */
  onBackup(newestMs: number): void;
  /** Called after each request to the receiver of logs. */
  onLogExport(isFailing: boolean): void;
  /** `Content-Type` of a scrape. */
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format; gauges show the given `loads` and `certificates`. */
  scrape(loads: Iterable<ServiceLoad>, certificates?: readonly CertificateInfo[]): Promise<string>;
}

/** Options of {@link createPlatformMetrics}. */
export interface PlatformMetricsOptions {
  readonly version: string;
  /** Returns figures of the platform's processes in the text format. */
  processText(): Promise<string>;
}

/** Creates the platform's metrics. */
export function createPlatformMetrics({ version, processText }: PlatformMetricsOptions): PlatformMetrics {
  const registry = new Registry();
  const gateway = createGatewayMetrics({ registry });
  new Gauge({
    name: 'berth_build_info',
    help: 'Always 1; versions are in the labels',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.versions.node }, 1);
  const deploys = new Counter({
    name: 'berth_deploys_total',
    help: 'Finished deploys, by result: done or an error code',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['done', ...DEPLOY_ERROR_CODES] as const) deploys.inc({ result }, 0);

  const expiry = new Gauge({
    name: 'berth_certificate_expiry_timestamp_seconds',
    help: 'Time at which a TLS certificate expires, by its first name',
    labelNames: ['name'],
    registers: [registry],
  });

  /** Absent until it is set: a server without such a part has no figure of it. */
  const gauge = (name: string, help: string) => {
    const made = new Gauge({ name, help, registers: [registry] });
    made.remove();
    return made;
  };
  const backup = gauge('berth_backup_timestamp_seconds', 'Time of the newest scheduled backup');
  const logExport = gauge('berth_log_export_failing', '1 while the receiver of logs takes none');

  return {
    listener: gateway,
    onDeployEnded: (result) => deploys.inc({ result }),
    onBackup: (newestMs) => backup.set(newestMs / 1_000),
    onLogExport: (isFailing) => logExport.set(isFailing ? 1 : 0),
    contentType: registry.contentType,
    async scrape(loads, certificates = []) {
      gateway.refresh(loads);
      expiry.reset();
      for (const { stored, names, notAfterMs } of certificates) {
        expiry.set({ name: stored?.name ?? names[0] ?? '' }, notAfterMs / 1_000);
      }
      return `${await processText()}\n${await registry.metrics()}\n${gateway.durationText()}`;
    },
  };
}
