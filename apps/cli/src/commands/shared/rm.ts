import { defineCommand } from '../../command/command.ts';
import { confirmLoss } from '../../command/confirm-loss.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { changeShared } from './change-shared.ts';

/** `berth shared rm`. */
export const sharedRm = defineCommand({
  name: 'rm',
  summary: 'Remove shared variables that nothing refers to',
  words: { '<key...>': 'Names of the variables' },
  options: YES_OPTION,
  examples: [['berth shared rm OLD_TOKEN', 'asks for confirmation']],
  async run({ words: unset, options }, context) {
    const keys = unset.join(', ');
    const values = unset.length === 1 ? 'The value' : 'The values';
    const effects = [`Removes ${keys} from the account. ${values} can't be recovered.`];
    if (!(await confirmLoss({ effects, question: `Remove ${keys}?` }, options, context))) return 1;
    await changeShared({ unset: [...unset] }, context);
    return 0;
  },
});
