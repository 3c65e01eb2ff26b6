import { METRICS_WINDOWS, type PlotSpan } from '../metrics/plot-span.ts';

/** Tabs of a deployment's page, in order. */
export const DEPLOYMENT_TABS = [
  'overview',
  'instances',
  'terminal',
  'deploys',
  'revisions',
  'settings',
  'environment',
  'schedule',
  'domains',
] as const;

/** Name of a tab. */
export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number];

/** Address parameters of a deployment's page. */
export interface DeploymentSearch extends PlotSpan {
  readonly tab?: DeploymentTab;
  /** ID of the expanded deploy. */
  readonly deploy?: string;
  /** ID of the instance for a terminal; absent: any. */
  readonly instance?: string;
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** Reads the address parameters. Drops invalid values and defaults. */
export function readDeploymentSearch(search: Readonly<Record<string, unknown>>): DeploymentSearch {
  const { deploy, instance, window, from, to } = search;
  const tab = DEPLOYMENT_TABS.find((one) => one === search['tab']);
  const isMoment = (value: unknown): value is string => typeof value === 'string' && MOMENT.test(value);
  const isRange = isMoment(from) && isMoment(to) && from < to;
  const span = METRICS_WINDOWS.find((one) => one === window);
  return {
    ...(tab !== undefined && tab !== 'overview' && { tab }),
    ...(typeof deploy === 'string' && /^\w{1,64}$/.test(deploy) && { deploy }),
    ...(tab === 'terminal' && typeof instance === 'string' && /^[\w-]{1,100}$/.test(instance) && { instance }),
    ...(isRange ? { from, to } : span !== undefined && span !== '1h' && { window: span }),
  };
}
