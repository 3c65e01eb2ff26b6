import type { Client } from '@berth/client';
import type { DeploymentDetail, DeploySummary } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { listAttention } from '../../attention/list-attention.ts';
import { printAttention } from '../../attention/print-attention.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { findLinkedName } from '../../link/linked-name.ts';
import { cleanText } from '../../output/clean-text.ts';
import { formatAge } from '../../output/format-age.ts';
import { formatFacts } from '../../output/format-facts.ts';
import { paintStatus } from '../../output/paint-status.ts';
import { showOverview } from './show-overview.ts';

/** How far back errors count. */
const RECENT_MS = 3_600_000;

/** `berth status`. */
export const status = defineCommand({
  name: 'status',
  summary: 'Show how a deployment is doing and what needs attention',
  description:
    'Shows status, URL, revision, instances, the last deploy, and requests and errors of the last hour. Errors are ' +
    'responses with status 500 or above. Without a name, and outside a linked folder, shows all deployments of the account.',
  words: { '[name]': 'Name of the deployment; that of berth.json by default' },
  options: { '--all': 'All deployments, also in a linked folder' },
  examples: [
    ['berth status', 'all deployments of the account, and what needs attention'],
    ['berth status my-app', 'one deployment'],
    ["berth status my-app --json | jq '.attention'", 'for scripts'],
  ],
  async run({ words: [word], options: { all } }, context) {
    const name = word ?? (all ? undefined : await findLinkedName(context));
    const client = await context.connect();
    if (name === undefined) return showOverview(client, context);
    await showDeployment(client, name, context);
    return 0;
  },
});

async function showDeployment(client: Client, name: string, { output, clock }: Context): Promise<void> {
  const [deployment, page] = await Promise.all([
    client.get('/v1/deployment/{name}', { params: { path: { name } } }),
    client.get('/v1/deploys', { params: { query: { name, limit: 1 } } }),
  ]);
  const [last] = page.deploys;
  // A failed deploy already tells why its revision didn't start.
  const others =
    last?.status === 'failed' && last.revision ? ` AND NOT resource.labels.revision_name="${last.revision}"` : '';
  const since = new Date(clock.nowMs() - RECENT_MS).toISOString();
  const failures = {
    deployment_name: name,
    since,
    limit: 100,
    query: `log_name="system" AND severity>=ERROR${others}`,
  };
  const query = { params: { query: { name } } };
  const [instances, metrics, domains, schedules, { logs }] = await Promise.all([
    client.get('/v1/deployment/instances', query),
    client.get('/v1/deployment/metrics', { params: { query: { name, window: '1h' } } }),
    client.get('/v1/domain/list', query),
    client.get('/v1/schedule/list'),
    // A key may be allowed to read deployments and not logs.
    client.post('/v1/deployment/logs', { body: failures }).catch((error: unknown) => {
      if (BerthError.is(error, 'forbidden')) return { logs: [] };
      throw error;
    }),
  ]);
  const sum = (field: 'requests' | 'errors') => metrics.points.reduce((total, point) => total + point[field], 0);
  const hour = { requests: sum('requests'), errors: sum('errors') };
  const lastRun = schedules.find(({ deployment_name }) => deployment_name === name)?.last_run;
  const attention = listAttention({ deployment, lastDeploy: last, lastRun, domains, hour, failures: logs });
  const reason = describeStatus(deployment, last);
  output.json({
    ...deployment,
    reason,
    instance_list: instances,
    last_deploy: last ?? null,
    last_hour: hour,
    attention,
  });
  const { style } = output;
  const title = paintStatus(deployment.status, deployment.status, style);
  output.print(`${style.bold(cleanText(deployment.name))}  ${title}  ${cleanText(reason)}`);
  output.print(style.cyan(cleanText(deployment.url)));
  output.print('');
  const states = new Map<string, number>();
  for (const { state } of instances) states.set(state, (states.get(state) ?? 0) + 1);
  const counts = [...states].map(([state, count]) => `${count} ${state}`).join(', ');
  const facts: [string, string][] = [
    ['Revision', deployment.revision ?? 'none yet'],
    ['Instances', counts || 'none'],
    ['Last deploy', last ? describeDeploy(last, clock.nowMs()) : 'unknown'],
    ['Last hour', `${count(hour.requests, 'request')}, ${count(hour.errors, 'error')}`],
  ];
  output.print(formatFacts(facts, style));
  printAttention(attention, output);
}

/** Returns why a deployment has its status, as a sentence. */
function describeStatus({ status, revision, instances }: DeploymentDetail, last: DeploySummary | undefined): string {
  if (status === 'deleting') return 'It is being deleted.';
  if (revision === null) {
    return status === 'failed'
      ? `It never started: ${last?.message ?? 'its first deploy failed.'}`
      : 'Its first deploy is running.';
  }
  if (status === 'stopped') return 'Its owner stopped it. Requests are answered with 503 until it is resumed.';
  const serving =
    instances === 0
      ? `No instance of ${revision} runs; the next request starts one.`
      : `${revision} serves with ${count(instances, 'instance')}.`;
  return status === 'ready' || status === 'failed' ? serving : `A deploy is running. ${serving}`;
}

function describeDeploy({ kind, status, created_at, actor, code }: DeploySummary, nowMs: number): string {
  const by = actor?.name ? ` by ${actor.name}` : '';
  return `${kind} ${status}${code ? ` (${code})` : ''} ${formatAge(created_at, nowMs)}${by}`;
}

function count(value: number, thing: string): string {
  return `${value.toLocaleString('en')} ${thing}${value === 1 ? '' : 's'}`;
}
