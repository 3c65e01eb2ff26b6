import type { Client } from '@berth/client';
import type { Activity, ActivityWindow } from '@berth/contract';
import type { Context } from '../../command/context.ts';

/** Requests from before a restart are usually counted within this time, in milliseconds. */
const WAITS_MS = [200, 800] as const;

/** Returns the requests of all deployments. While the server still counts those from before a restart, it is asked again. */
export async function readActivity(
  client: Client,
  window: ActivityWindow,
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
): Promise<Activity> {
  const read = () => client.get('/v1/activity', { params: { query: { window } } });
  let activity = await read();
  for (const waitMs of WAITS_MS) {
    if (activity.is_complete) break;
    await clock.sleep(waitMs, signal);
    activity = await read();
  }
  return activity;
}
