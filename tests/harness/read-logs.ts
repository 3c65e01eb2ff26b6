import type { LogsRequest, LogsResponse } from '@berth/contract';
import type { Berth } from './berth.ts';

/** Reads the log of a deployment. @throws Error unless it is answered. */
export async function readLogs(
  berth: Berth,
  name: string,
  options: Omit<LogsRequest, 'deployment_name'> = {},
): Promise<LogsResponse> {
  const answer = await berth.post('/v1/deployment/logs', { deployment_name: name, limit: 1_000, ...options });
  if (!answer.ok) throw new Error(`logs of ${name}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as LogsResponse;
}
