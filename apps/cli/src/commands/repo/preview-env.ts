import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { cleanText } from '../../output/clean-text.ts';
import { readVariables, VARIABLE_OPTIONS } from '../env/read-variables.ts';

async function change(
  name: string,
  variables: { readonly set?: Record<string, string>; readonly unset?: string[] },
  { connect, output }: Context,
): Promise<void> {
  const body = { deployment_name: name, set: {}, unset: [], ...variables };
  const repository = await (await connect()).post('/v1/repositories/preview-env', { body });
  output.json(repository);
  const keys = repository.preview_variables.join(', ') || 'none';
  output.print(cleanText(`Variables that only previews of "${name}" get: ${keys}. They apply to the next deploy.`));
}

/** `berth repo preview-env set`. */
export const previewEnvSet = defineCommand({
  name: 'set',
  summary: 'Set variables that only previews get',
  description:
    "Previews get the deployment's plain variables and these, and none of its secrets. Values are encrypted. For a KEY " +
    'without a value, the command prompts for it.',
  words: { '<name>': 'Name of the deployment', '[key=value...]': 'Variables' },
  options: { '--from-file <file>': VARIABLE_OPTIONS['--from-file <file>'] },
  examples: [
    ['berth repo preview-env set my-app DATABASE_URL', 'prompts for the value'],
    ['berth repo preview-env set my-app --from-file preview.env', 'all variables of a file'],
  ],
  async run({ words: [name = '', ...words], options }, context) {
    const { set } = await readVariables(words, options, context);
    await change(name, { set }, context);
  },
});

/** `berth repo preview-env rm`. */
export const previewEnvRm = defineCommand({
  name: 'rm',
  summary: 'Remove variables that only previews get',
  words: { '<name>': 'Name of the deployment', '<key...>': 'Names of the variables' },
  examples: [['berth repo preview-env rm my-app DATABASE_URL', 'from the next deploy on']],
  run: ({ words: [name = '', ...unset] }, context) => change(name, { unset }, context),
});
