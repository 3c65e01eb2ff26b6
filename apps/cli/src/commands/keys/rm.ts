import { defineRemoval } from '../../command/define-removal.ts';

/** `berth keys rm`. */
export const keysRm = defineRemoval({
  name: 'rm',
  summary: 'Revoke API keys immediately and permanently',
  word: { name: 'id', description: 'ID of a key, as `berth keys ls` shows it' },
  examples: [
    ['berth keys rm key_01jd3v9k2m', 'requests with it get 401'],
    ['berth keys rm key_01jd3v9k2m key_01jd3w0a7q -y', 'several, without confirmation'],
  ],
  verb: 'Revoke',
  async effect(client, id) {
    const key = (await client.get('/v1/user/keys')).find((row) => row.id === id);
    return `Revokes ${id}${key ? ` (${key.name})` : ''}: requests with it get 401.`;
  },
  async remove(client, id) {
    await client.delete('/v1/user/keys', { params: { query: { id } } });
    return { detail: `Revoked ${id}.`, json: { id, revoked: true } };
  },
});
