import { defineCommand } from '../../command/command.ts';
import { applyEnvironment } from './apply-environment.ts';
import { readVariables, VARIABLE_OPTIONS } from './read-variables.ts';

/** `berth env set`. */
export const envSet = defineCommand({
  name: 'set',
  summary: 'Set environment variables and secrets of a deployment',
  description:
    "Values are encrypted, belong to the deployment's name, and persist across deploys. A change deploys a new revision. " +
    'You can set variables before the first deploy. For a KEY without a value, the command prompts for it. Values may ' +
    'refer to shared variables and to addresses of deployments: ${{ shared.KEY }}, ${{ services.NAME.url }}.',
  words: { '<name>': 'Name of the deployment', '[key=value...]': 'Variables' },
  options: VARIABLE_OPTIONS,
  examples: [
    ['berth env set my-app LOG_LEVEL=debug REGION=eu --plain', 'two variables that are not secret'],
    ['berth env set my-app API_TOKEN', 'prompts for the value, keeping it out of the shell history'],
    ['berth env set my-app --from-file .env', 'all variables of a file'],
    ["berth env set my-app 'API_URL=${{ services.api.url }}'", 'the address of another deployment'],
  ],
  async run({ words: [name = '', ...words], options }, context) {
    return applyEnvironment(name, await readVariables(words, options, context), context);
  },
});
