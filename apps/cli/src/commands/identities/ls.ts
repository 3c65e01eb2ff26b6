import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth identities ls`. */
export const identitiesLs = defineCommand({
  name: 'ls',
  summary: 'List the identity providers connected to you',
  description:
    "Connect a provider on the account page of the console. Requires a person's session, from `berth login --browser` or --email.",
  examples: [['berth identities ls', 'Google, the sign-in of your company, …']],
  async run(_input, { connect, output, clock }) {
    const own = await (await connect()).get('/v1/user/identities');
    output.json(own);
    output.table(own.identities, [
      { heading: 'ID', text: (row) => row.id },
      { heading: 'NAME', text: (row) => row.name },
      { heading: 'ISSUER', text: (row) => row.issuer },
      { heading: 'CONNECTED', text: (row) => formatAge(row.created_at, clock.nowMs()) },
      { heading: '', text: (row) => (row.provider === null ? 'no longer offered' : '') },
    ]);
  },
});
