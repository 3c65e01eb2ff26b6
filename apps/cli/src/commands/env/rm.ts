import { defineCommand } from '../../command/command.ts';
import { confirmLoss } from '../../command/confirm-loss.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { applyEnvironment } from './apply-environment.ts';

/** `berth env rm`. */
export const envRm = defineCommand<{ readonly yes?: boolean }>({
  name: 'rm',
  summary: 'Remove environment variables of a deployment',
  words: [
    { name: 'name', description: 'Name of the deployment' },
    { name: 'key', description: 'Names of the variables', isVariadic: true },
  ],
  options: [YES_OPTION],
  examples: [
    ['berth env rm my-app API_TOKEN', 'asks, then makes a new revision without it'],
    ['berth env rm my-app API_TOKEN REGION -y', 'several, for scripts'],
  ],
  async run({ words: [name = '', ...unset], options }, context) {
    const keys = unset.join(', ');
    const values = unset.length === 1 ? 'The value' : 'The values';
    const effects = [`Removes ${keys} from ${name}. ${values} can't be recovered; a new revision starts without.`];
    if (!(await confirmLoss({ effects, question: `Remove ${keys}?` }, options, context))) return 1;
    return applyEnvironment(name, { unset }, context);
  },
});
