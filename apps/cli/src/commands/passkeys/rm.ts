import { defineRemoval } from '../../command/define-removal.ts';

/** `berth passkeys rm`. */
export const passkeysRm = defineRemoval({
  name: 'rm',
  summary: 'Remove passkeys',
  word: { name: 'id', description: 'ID of a passkey, as `berth passkeys ls` shows it' },
  examples: [
    ['berth passkeys rm pky_01jd3v9k2m', "your last sign-in method can't be removed"],
    ['berth passkeys rm pky_01jd3v9k2m -y', 'without confirmation, for scripts'],
  ],
  verb: 'Remove',
  effect: (_client, id) => `Removes the passkey ${id}. It can no longer be used to sign in.`,
  remove: (client, id) => client.delete('/v1/user/passkeys', { params: { query: { id } } }),
});
