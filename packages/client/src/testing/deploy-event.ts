import type { DeployEvent } from '@berth/contract';

/** An event of deploy `dep_1`, as a line of the stream. */
export function deployEvent(
  seq: number,
  status: DeployEvent['status'],
  message: string,
  more: Partial<DeployEvent> = {},
): string {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString();
  return `${JSON.stringify({ status, message, time, deploy_id: 'dep_1', seq, ...more })}\n`;
}
