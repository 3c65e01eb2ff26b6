import { defineRemoval } from '../../command/define-removal.ts';

/** `berth domain rm`. */
export const domainRm = defineRemoval({
  name: 'rm',
  summary: 'Remove domains; requests to them get 404',
  word: { name: 'domain', description: 'Domain of the account' },
  examples: [
    ['berth domain rm shop.example.com', 'then point its DNS elsewhere'],
    ['berth domain rm a.example.com b.example.com -y', 'several, without confirmation'],
  ],
  verb: 'Remove',
  async effect(client, domain) {
    const found = (await client.get('/v1/domain/list')).find((row) => row.domain === domain);
    const deployment = found ? ` Its deployment ${found.deployment_name} stays.` : '';
    return `Removes ${domain}: requests to it get 404, and another account can claim it.${deployment}`;
  },
  remove: (client, domain) => client.post('/v1/domain/remove', { body: { domain } }),
});
