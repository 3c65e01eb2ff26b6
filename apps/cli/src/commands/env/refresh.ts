import { defineCommand } from '../../command/command.ts';
import { showOutcome } from './apply-environment.ts';

/** `berth env refresh`. */
export const envRefresh = defineCommand({
  name: 'refresh',
  summary: 'Read the values that variables refer to again',
  description:
    "Reads secrets of the operator's store, ${{ external.NAME }}, and the other references of a deployment's variables again. " +
    'If a value changed, the command deploys a new revision; otherwise nothing happens. Run it after a secret was rotated.',
  words: { '<name>': 'Name of the deployment' },
  options: {},
  examples: [['berth env refresh my-app', 'a new revision with the current values']],
  async run({ words: [name = ''] }, context) {
    const client = await context.connect();
    context.output.say(`Reading the values that variables of ${name} refer to`);
    const outcome = await client.post('/v1/env/refresh', { body: { deployment_name: name } });
    return showOutcome(name, outcome, context);
  },
});
