import type { Client } from '@berth/client';
import { defineRemoval } from '../../command/define-removal.ts';

/** `berth rm`. */
export const rm = defineRemoval({
  name: 'rm',
  summary: 'Delete deployments; their volumes keep their data',
  word: { name: 'name', description: 'Name of a deployment' },
  examples: [
    ['berth rm my-app', 'lists what is removed and asks for confirmation'],
    ['berth rm my-app old-app -y', 'without confirmation, for scripts'],
  ],
  verb: 'Delete',
  effect: describeDeployment,
  remove: (client, name) => client.post('/v1/deployment/delete', { body: { name } }),
});

async function describeDeployment(client: Client, name: string): Promise<string> {
  const { url, schedule, volumes, revisions } = await client.get('/v1/deployment/{name}', {
    params: { path: { name } },
  });
  const [variables, domains] = await Promise.all([
    client.get('/v1/env/list', { params: { query: { name } } }),
    client.get('/v1/domain/list', { params: { query: { name } } }),
  ]);
  const count = (things: readonly unknown[], thing: string) => {
    if (things.length === 0) return [];
    return [`${things.length} ${thing}${things.length === 1 ? '' : 's'}`];
  };
  const gone = [
    url,
    ...count(revisions, 'revision'),
    ...count(variables, 'variable'),
    ...(schedule ? [`the schedule ${schedule.cron}`] : []),
    ...domains.map(({ domain }) => domain),
  ];
  const kept = ['its logs', ...Object.values(volumes).map((mount) => `volume ${mount.name}`)];
  return `Deletes ${name}: ${gone.join(', ')}. Keeps ${kept.join(', ')}.`;
}
