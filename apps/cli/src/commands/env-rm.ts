import { applyEnvironment } from '../apply-environment.ts';
import { defineCommand } from '../command.ts';

export const envRm = defineCommand({
  name: 'rm',
  summary: 'Remove environment variables of a deployment',
  words: [
    { name: 'name', description: 'Name of the deployment' },
    { name: 'key', description: 'Names of the variables', isVariadic: true },
  ],
  examples: [['berth env rm my-app API_TOKEN', 'makes a new revision without it']],
  run: ({ words: [name = '', ...unset] }, context) => applyEnvironment(name, { unset }, context),
});
