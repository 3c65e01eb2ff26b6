import type { MetricsWindow } from '@berth/contract';

/**
 * Length of each metrics window. Source: contract, `METRICS_WINDOWS`, whose module would add all schemas to the bundle.
 */
export const METRICS_WINDOW_MS = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
} as const satisfies Readonly<Record<MetricsWindow, number>>;
