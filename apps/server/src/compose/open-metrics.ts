import type { Certificates } from '@berth/certificates';
import type { GatewayControl } from '@berth/gateway';
import { openAdmin } from '../admin/open-admin.ts';
import type { PartOptions } from '../context/part-options.ts';
import type { FetchApi } from '../listeners/api-listener.ts';
import type { State } from './open-state.ts';

/** Options of {@link openMetrics}. */
export interface OpenMetricsOptions extends Pick<PartOptions, 'config' | 'logger' | 'shutdown'> {
  readonly state: Pick<State, 'metrics'>;
  readonly gateway: Pick<GatewayControl, 'loads'>;
  readonly fetchApi: FetchApi;
  /** TLS certificates; absent without TLS. */
  readonly certificates?: Pick<Certificates, 'list'> | undefined;
}

/** Opens the admin listener if it is configured. @returns its base URL */
export async function openMetrics(options: OpenMetricsOptions): Promise<string | undefined> {
  const { config, logger, shutdown, state, gateway, fetchApi, certificates } = options;
  const { metrics } = state;
  if (metrics === undefined || config.adminPort === undefined) return undefined;
  const scrape = () => metrics.scrape(gateway.loads(), certificates?.list());
  const admin = await openAdmin(
    { host: config.adminHost, port: config.adminPort },
    { logger, metricsType: metrics.contentType, scrape, fetchApi },
  );
  shutdown.push('admin listener', () => admin.close());
  return admin.url;
}
