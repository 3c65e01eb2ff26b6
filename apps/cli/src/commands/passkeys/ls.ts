import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth passkeys ls`. */
export const passkeysLs = defineCommand({
  name: 'ls',
  summary: 'List your passkeys',
  description:
    "Requires a person's session, from `berth login --browser` or --email. Passkeys are created in a browser, " +
    'on the /account page of the console.',
  examples: [['berth passkeys ls', 'the newest first']],
  async run(_input, { connect, target, output, clock }) {
    const passkeys = await (await connect()).get('/v1/user/passkeys');
    output.json(passkeys);
    if (passkeys.length === 0) {
      return output.say(`You have no passkey. Add one in a browser: ${(await target()).baseUrl}/account`);
    }
    output.table(passkeys, [
      { heading: 'ID', text: (row) => row.id },
      { heading: 'NAME', text: (row) => row.name },
      { heading: 'WHERE', text: (row) => (row.is_synced ? 'synced' : 'one device') },
      { heading: 'ADDED', text: (row) => formatAge(row.created_at, clock.nowMs()) },
      { heading: 'LAST USED', text: (row) => formatAge(row.last_used_at, clock.nowMs()) },
    ]);
  },
});
