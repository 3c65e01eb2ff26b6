import { defineRemoval } from '../../command/define-removal.ts';

/** `berth members rm`. */
export const membersRm = defineRemoval({
  name: 'rm',
  summary: 'Remove members; the keys that they created are revoked',
  word: { name: 'id', description: 'ID of a member, as `berth members ls` shows it' },
  examples: [
    ['berth members rm usr_01jd3v9k2m', 'they lose access to the account'],
    ['berth members rm usr_01jd3v9k2m -y', 'without confirmation, for scripts'],
  ],
  verb: 'Remove',
  effect: (_client, id) => `Removes ${id} from the account and revokes the API keys that they created.`,
  remove: (client, id) => client.delete('/v1/user/members', { params: { query: { user_id: id } } }),
});
