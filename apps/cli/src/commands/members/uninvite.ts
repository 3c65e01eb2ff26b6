import { defineRemoval } from '../../command/define-removal.ts';

/** `berth members uninvite`. */
export const membersUninvite = defineRemoval({
  name: 'uninvite',
  summary: 'Withdraw invitations',
  word: { name: 'id', description: 'ID of an invitation, as `berth members invites` shows it' },
  examples: [
    ['berth members uninvite inv_01jd3v9k2m', 'its link stops working'],
    ['berth members uninvite inv_01jd3v9k2m -y', 'without confirmation, for scripts'],
  ],
  verb: 'Withdraw',
  effect: (_client, id) => `Withdraws ${id}: its link stops working.`,
  remove: (client, id) => client.delete('/v1/user/invites', { params: { query: { id } } }),
});
