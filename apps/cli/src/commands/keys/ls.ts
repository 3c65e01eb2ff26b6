import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth keys ls`. */
export const keysLs = defineCommand({
  name: 'ls',
  summary: 'List the API keys of the account, without their secrets',
  examples: [['berth keys ls', 'scopes and last use']],
  async run(_input, { connect, output, clock }) {
    const keys = await (await connect()).get('/v1/user/keys');
    output.json(keys);
    output.table(keys, [
      { heading: 'ID', text: (row) => row.id },
      { heading: 'NAME', text: (row) => row.name },
      { heading: 'KEY', text: (row) => `${row.start}…` },
      { heading: 'SCOPES', text: (row) => row.scopes.join(',') },
      { heading: 'LAST USED', text: (row) => formatAge(row.last_used_at, clock.nowMs()) },
      { heading: 'EXPIRES', text: (row) => row.expires_at ?? 'never' },
    ]);
  },
});
