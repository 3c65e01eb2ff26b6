import { defineRemoval } from '../../command/define-removal.ts';

/** `berth repo disconnect`. */
export const repoDisconnect = defineRemoval({
  name: 'disconnect',
  summary: 'Disconnect deployments from their repositories',
  word: { name: 'name', description: 'Name of a deployment' },
  examples: [['berth repo disconnect my-app', 'asks for confirmation']],
  verb: 'Disconnect',
  async effect(client, name) {
    const { url, previews, has_token } = await client.get('/v1/repositories', {
      params: { query: { deployment_name: name } },
    });
    const hook = has_token ? 'Its webhook is removed.' : 'Remove its webhook in the forge yourself.';
    const count = previews.length === 1 ? '1 preview' : `${previews.length} previews`;
    return `Disconnects "${name}" from ${url} and deletes ${count}. ${hook}`;
  },
  remove: (client, name) => client.delete('/v1/repositories', { params: { query: { deployment_name: name } } }),
});
