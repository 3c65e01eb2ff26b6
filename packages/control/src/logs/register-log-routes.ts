import type { Api } from '../http/api.ts';
import { registerFetchLogs } from './routes/fetch-logs.ts';
import { registerLogFields } from './routes/log-fields.ts';
import { registerLogHistogram } from './routes/log-histogram.ts';
import { registerTailLogs, type TailLogsDeps } from './routes/tail-logs.ts';

/** `/v1/deployment/logs…`. */
export function registerLogRoutes(api: Api, deps: TailLogsDeps): void {
  registerFetchLogs(api, deps);
  registerLogFields(api, deps);
  registerLogHistogram(api, deps);
  registerTailLogs(api, deps);
}
