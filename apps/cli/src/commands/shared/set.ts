import { defineCommand } from '../../command/command.ts';
import { readVariables, VARIABLE_OPTIONS } from '../env/read-variables.ts';
import { changeShared } from './change-shared.ts';

/** `berth shared set`. */
export const sharedSet = defineCommand({
  name: 'set',
  summary: 'Set variables of the account, which variables of deployments refer to',
  description:
    'A variable of a deployment refers to a shared one as ${{ shared.KEY }}. A change deploys a new revision of each ' +
    'deployment that refers to it, so a secret is rotated with one command. For a KEY without a value, the command prompts for it.',
  words: { '[key=value...]': 'Variables' },
  options: VARIABLE_OPTIONS,
  examples: [
    ['berth shared set DATABASE_URL', 'prompts for the value, keeping it out of the shell history'],
    ['berth shared set REGION=eu --plain', 'not a secret: its value is shown in lists'],
    ["berth env set my-app 'DATABASE_URL=${{ shared.DATABASE_URL }}'", 'refers to it'],
  ],
  async run({ words, options }, context) {
    await changeShared(await readVariables(words, options, context), context);
    return 0;
  },
});
