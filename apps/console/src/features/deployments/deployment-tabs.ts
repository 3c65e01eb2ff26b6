import { METRICS_WINDOW_MS } from '../metrics/metrics-windows.ts';
import type { PlotSpan } from '../metrics/plot-span.ts';

export const DEPLOYMENT_TABS = [
  'overview',
  'deploys',
  'revisions',
  'settings',
  'environment',
  'schedule',
  'domains',
] as const;

export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number];

/** What an address says of what is shown of a deployment. */
export interface DeploymentSearch extends PlotSpan {
  readonly tab?: DeploymentTab;
  /** The deploy that is open in the list of them. */
  readonly deploy?: string;
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** Reads it; what is not known is left out, and so is what is shown anyway. */
export function readDeploymentSearch(search: Readonly<Record<string, unknown>>): DeploymentSearch {
  const { deploy, window, from, to } = search;
  const tab = DEPLOYMENT_TABS.find((one) => one === search['tab']);
  const isMoment = (value: unknown): value is string => typeof value === 'string' && MOMENT.test(value);
  const isRange = isMoment(from) && isMoment(to) && from < to;
  const known = Object.keys(METRICS_WINDOW_MS) as (keyof typeof METRICS_WINDOW_MS)[];
  const span = known.find((one) => one === window);
  return {
    ...(tab !== undefined && tab !== 'overview' && { tab }),
    ...(typeof deploy === 'string' && /^\w{1,64}$/.test(deploy) && { deploy }),
    ...(isRange ? { from, to } : span !== undefined && span !== '1h' && { window: span }),
  };
}
