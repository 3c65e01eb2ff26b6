import { createLeases } from '@berth/control';
import type { PartOptions } from '../context/part-options.ts';
import type { LogExport } from '../log-export/create-log-export.ts';
import type { State } from './open-state.ts';

/** Opens the export of logs of the settings; returns undefined without a receiver. */
export async function openLogExport(
  { config, clock, logger, shutdown }: PartOptions,
  { db, cluster, logs, metrics }: Pick<State, 'db' | 'cluster' | 'logs' | 'metrics'>,
): Promise<LogExport | undefined> {
  const { logExportUrl: url, logExportHeaders: headers } = config;
  if (url === undefined) return undefined;
  // Without a receiver, the encoder isn't loaded.
  const { createLogExport } = await import('../log-export/create-log-export.ts');
  const leases = createLeases({ db, cluster, clock, logger, leaseMs: config.leaseSeconds * 1_000 });
  const logExport = createLogExport({
    db,
    logs,
    clock,
    logger,
    leases,
    receiver: { url, headers },
    ...(metrics && { onFailing: metrics.onLogExport }),
  });
  shutdown.push('log export', () => logExport.close());
  return logExport;
}
