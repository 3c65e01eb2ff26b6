import type { Client } from '@berth/client';
import { listAttention } from '../../attention/list-attention.ts';
import { printAttention } from '../../attention/print-attention.ts';
import type { Context } from '../../command/context.ts';
import { formatAge } from '../../output/format-age.ts';
import { paintStatus } from '../../output/paint-status.ts';
import { readActivity } from '../account/read-activity.ts';

/** Shows all deployments of the account with the last hour of each, and what needs attention. */
export async function showOverview(client: Client, context: Context): Promise<number> {
  const { output, clock } = context;
  const [deployments, activity, domains, schedules] = await Promise.all([
    client.get('/v1/deployment/list'),
    readActivity(client, '1h', context),
    client.get('/v1/domain/list', { params: { query: {} } }),
    client.get('/v1/schedule/list'),
  ]);
  const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0);
  const rows = deployments.map((deployment) => {
    const { name } = deployment;
    const counts = activity.deployments.find((one) => one.name === name);
    const hour = { requests: sum(counts?.requests), errors: sum(counts?.errors) };
    const attention = listAttention({
      ...{ deployment, lastDeploy: deployment.last_deploy, hour },
      lastRun: schedules.find(({ deployment_name }) => deployment_name === name)?.last_run,
      domains: domains.filter(({ deployment_name }) => deployment_name === name),
    });
    return { deployment, hour, attention };
  });
  const attention = rows.flatMap((row) => row.attention);
  output.json({
    deployments: rows.map(({ deployment, hour }) => ({ ...deployment, last_hour: hour })),
    attention,
  });
  if (rows.length === 0) {
    output.say('No deployments yet. Deploy a folder with `berth deploy ./my-project`.');
    return 0;
  }
  const { style } = output;
  output.table(rows, [
    { heading: 'NAME', text: ({ deployment }) => deployment.name, paint: style.bold },
    {
      heading: 'STATUS',
      text: ({ deployment }) => deployment.status,
      paint: (text, { deployment }) => paintStatus(deployment.status, text, style),
    },
    { heading: 'INSTANCES', text: ({ deployment }) => String(deployment.instances) },
    { heading: 'REQUESTS (1H)', text: ({ hour }) => String(hour.requests) },
    { heading: 'ERRORS (1H)', text: ({ hour }) => String(hour.errors) },
    {
      heading: 'LAST DEPLOY',
      text: ({ deployment: { last_deploy: last } }) =>
        last ? `${last.status} ${formatAge(last.created_at, clock.nowMs())}` : '-',
    },
    { heading: 'URL', text: ({ deployment }) => deployment.url, paint: style.cyan },
  ]);
  if (!activity.is_complete) output.warn('Requests from before the last restart are still being counted.');
  printAttention(attention, output);
  return 0;
}
