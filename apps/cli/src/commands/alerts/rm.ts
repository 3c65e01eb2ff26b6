import { defineRemoval } from '../../command/define-removal.ts';

/** `berth alerts rm`. */
export const alertsRm = defineRemoval({
  name: 'rm',
  summary: 'Remove alerts; their history stays for 90 days',
  word: { name: 'id', description: 'ID of an alert' },
  examples: [['berth alerts rm alr_…', 'asks for confirmation']],
  verb: 'Remove',
  async effect(client, id) {
    const found = (await client.get('/v1/alerts')).find((row) => row.id === id);
    return `Removes the alert ${found ? `"${found.title}" (${id})` : id}. Nothing is sent about it any more.`;
  },
  remove: (client, id) => client.delete('/v1/alerts', { params: { query: { id } } }),
});
