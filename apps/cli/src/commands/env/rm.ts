import { defineCommand } from '../../command/command.ts';
import { confirmLoss } from '../../command/confirm-loss.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { applyEnvironment } from './apply-environment.ts';

/** `berth env rm`. */
export const envRm = defineCommand({
  name: 'rm',
  summary: 'Remove environment variables of a deployment',
  words: { '<name>': 'Name of the deployment', '<key...>': 'Names of the variables' },
  options: { ...YES_OPTION },
  examples: [
    ['berth env rm my-app API_TOKEN', 'asks for confirmation, then deploys a new revision without it'],
    ['berth env rm my-app API_TOKEN REGION -y', 'several, without confirmation'],
  ],
  async run({ words: [name = '', ...unset], options }, context) {
    const keys = unset.join(', ');
    const values = unset.length === 1 ? 'The value' : 'The values';
    const effects = [`Removes ${keys} from ${name}. ${values} can't be recovered. A new revision is deployed.`];
    if (!(await confirmLoss({ effects, question: `Remove ${keys}?` }, options, context))) return 1;
    return applyEnvironment(name, { unset }, context);
  },
});
