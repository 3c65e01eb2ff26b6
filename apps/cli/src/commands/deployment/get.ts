import type { Client } from '@berth/client';
import type { Deployment, DeploymentDetail, DeploySummary, HealthCheck } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { cleanText } from '../../output/clean-text.ts';
import { formatAge } from '../../output/format-age.ts';
import { formatFacts } from '../../output/format-facts.ts';
import { paintStatus } from '../../output/paint-status.ts';

/** `berth get`. */
export const get = defineCommand({
  name: 'get',
  summary: 'Show a deployment, its settings and its revisions',
  words: LINKED_WORD,
  examples: [
    ['berth get my-app', 'everything about it'],
    ['berth get my-app --json', 'the same as JSON'],
  ],
  async run({ words: [word] }, context) {
    const { connect, output, clock } = context;
    const name = await requireName(word, context);
    const client = await connect();
    const deployment = await client.get('/v1/deployment/{name}', { params: { path: { name } } });
    const failure = await findFailure(client, name);
    output.json(failure ? { ...deployment, failure } : deployment);
    const { style } = output;
    output.print(
      `${style.bold(cleanText(deployment.name))}  ${paintStatus(deployment.status, deployment.status, style)}`,
    );
    output.print(style.cyan(cleanText(deployment.url)));
    if (failure) {
      const when = formatAge(failure.ended_at ?? failure.created_at, clock.nowMs());
      output.print('');
      output.print(style.red(`The last deploy failed ${when}: ${cleanText(`${failure.message} (${failure.code})`)}`));
      output.print(style.dim(`berth follow ${cleanText(failure.deploy_id)}   shows all events`));
    }
    output.print('');
    output.print(formatFacts(factsOf(deployment), style));
    if (deployment.revisions.length === 0) return;
    output.print('');
    output.table(deployment.revisions, [
      {
        heading: 'REVISION',
        text: (row) => (row.revision === deployment.revision ? `${row.revision} (serving)` : row.revision),
      },
      { heading: 'STATUS', text: (row) => row.status, paint: (text, row) => paintStatus(row.status, text, style) },
      { heading: 'CREATED', text: (row) => formatAge(row.created_at, clock.nowMs()) },
      { heading: 'DIGEST', text: (row) => row.digest?.slice(0, 19) ?? '-', paint: style.dim },
    ]);
  },
});

/** Finds the newest finished deploy if it failed. */
async function findFailure(client: Client, name: string): Promise<DeploySummary | undefined> {
  const [last] = (await client.get('/v1/deploys', { params: { query: { name, state: 'ended', limit: 1 } } })).deploys;
  return last?.status === 'failed' ? last : undefined;
}

function factsOf(deployment: DeploymentDetail): [string, string][] {
  return [
    ['Revision', deployment.revision ?? 'none yet'],
    ['Region', deployment.region],
    ['Port', `${deployment.port}${deployment.use_http2 ? ' (HTTP/2)' : ''}`],
    ['Size', `${deployment.cpu} CPU, ${deployment.memory} of memory`],
    [
      'Instances',
      `${deployment.instances} now${deployment.busy > 0 ? ` (${deployment.busy} busy)` : ''}, ${deployment.min_instances === 0 ? '' : `${deployment.min_instances} at least, `}${deployment.max_instances === 0 ? 'no fixed limit' : `${deployment.max_instances} at most`}`,
    ],
    ['Requests', `${deployment.concurrency} concurrent requests per instance, ${deployment.timeout}s timeout`],
    ['Affinity', deployment.session_affinity ? 'session affinity' : 'none'],
    ['Schedule', deployment.schedule ? `${deployment.schedule.cron} (${deployment.schedule.timezone})` : 'none'],
    ['Health check', describeHealth(deployment.health)],
    ['Volumes', describeVolumes(deployment.volumes)],
    ['Created', deployment.created_at],
    ['Updated', deployment.updated_at],
  ];
}

function describeVolumes(volumes: Deployment['volumes']): string {
  const mounts = Object.entries(volumes).map(
    ([path, volume]) =>
      `${path} = ${volume.name}${volume.sub_path ? `/${volume.sub_path}` : ''}${volume.read_only ? ' (read only)' : ''}`,
  );
  return mounts.join(', ') || 'none';
}

/** Returns a health check as one line, such as `/healthz every 10s, 5s each at most`. */
function describeHealth(health: HealthCheck | null): string {
  return health ? `${health.path} every ${health.interval}s, ${health.timeout}s timeout` : 'none';
}
