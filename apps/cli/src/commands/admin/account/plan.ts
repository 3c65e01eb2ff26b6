import { defineCommand } from '../../../command/command.ts';
import { cleanText } from '../../../output/clean-text.ts';

/** `berth admin account plan`. */
export const accountPlan = defineCommand({
  name: 'plan',
  summary: 'Put an account on a plan',
  words: { '<name>': 'Name of the account', '<plan>': "One of the plans of the server's file" },
  examples: [['berth admin account plan acme team', 'its limits hold from the next call on']],
  async run({ words: [name = '', plan = ''] }, { connect, output }) {
    const account = await (await connect()).post('/v1/admin/accounts/plan', { body: { account: name, plan } });
    output.json(account);
    output.say(cleanText(`${account.name} is on the plan ${account.plan}.`));
  },
});
