import { defineCommand } from '../../../command/command.ts';
import { cleanText } from '../../../output/clean-text.ts';

/** `berth admin account plan`. */
export const accountPlan = defineCommand({
  name: 'plan',
  summary: 'Assign a plan to an account',
  words: { '<name>': 'Name of the account', '<plan>': "A plan from the server's plans file" },
  examples: [['berth admin account plan acme team', 'the new limits apply to the next request']],
  async run({ words: [name = '', plan = ''] }, { connect, output }) {
    const account = await (await connect()).post('/v1/admin/accounts/plan', { body: { account: name, plan } });
    output.json(account);
    output.say(cleanText(`${account.name} is on the plan ${account.plan}.`));
  },
});
