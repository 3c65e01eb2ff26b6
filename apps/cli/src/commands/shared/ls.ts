import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';

/** `berth shared ls`. */
export const sharedLs = defineCommand({
  name: 'ls',
  summary: 'List the shared variables of the account, and the deployments that refer to them',
  examples: [['berth shared ls', 'values of secrets are never shown']],
  async run(_, { connect, output, clock }) {
    const variables = await (await connect()).get('/v1/env/shared');
    output.json(variables);
    if (variables.length === 0) return output.say('The account has no shared variables.');
    output.table(variables, [
      { heading: 'NAME', text: (row) => row.key },
      { heading: 'VALUE', text: (row) => row.value ?? '(secret)' },
      { heading: 'USED BY', text: (row) => row.deployments.join(', ') || '-' },
      { heading: 'SET', text: (row) => formatAge(row.updated_at, clock.nowMs()) },
    ]);
  },
});
