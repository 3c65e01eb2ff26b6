import type { Api } from '@berth/accounts';
import { registerFetchLogs } from './fetch-logs.ts';
import { registerLogFields } from './log-fields.ts';
import { registerLogHistogram } from './log-histogram.ts';
import { registerTailLogs, type TailLogsDeps } from './tail-logs.ts';

/** `/v1/deployment/logs…`. */
export function registerLogRoutes(api: Api, deps: TailLogsDeps): void {
  registerFetchLogs(api, deps);
  registerLogFields(api, deps);
  registerLogHistogram(api, deps);
  registerTailLogs(api, deps);
}
