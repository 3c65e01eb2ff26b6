import { defineRemoval } from '../../command/define-removal.ts';

/** `berth identities rm`. */
export const identitiesRm = defineRemoval({
  name: 'rm',
  summary: 'Stop signing in with a provider',
  word: { name: 'id', description: 'ID of an identity, as `berth identities ls` shows it' },
  examples: [
    ['berth identities rm cre_01jd3v9k2m', "the last sign-in method can't be removed"],
    ['berth identities rm cre_01jd3v9k2m -y', 'without confirmation, for scripts'],
  ],
  verb: 'Remove',
  effect: (_client, id) => `Removes ${id}: you no longer sign in with it. Your other sessions stay signed in.`,
  remove: (client, id) => client.delete('/v1/user/identities', { params: { query: { id } } }),
});
