import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { finishDeployedKeys, rotateDeployedKeys } from './rotate-deployed-keys.ts';
import { finishFolderKeys, rotateFolderKeys } from './rotate-folder-keys.ts';

/** `berth agent rotate-keys`. */
export const agentRotateKeys = defineCommand({
  name: 'rotate-keys',
  summary: 'Give an agent a new key for what people connect',
  description:
    'Makes the key that new connections are sealed with. Older keys stay, so that what they sealed opens; the agent ' +
    'seals it anew when it starts. After that --finish removes them.',
  words: { '[name]': 'Name of the deployed agent' },
  options: {
    '--data <folder>': 'The data folder of an agent on this machine, instead of a name',
    '--finish': 'Remove the older keys, once everything is sealed with the new one',
    '--force': 'With --finish: remove them whatever is sealed with them',
  },
  examples: [
    ['berth agent rotate-keys my-agent', 'a new key for a deployed agent, as a new revision'],
    ['berth agent rotate-keys my-agent --finish', 'later: remove the older ones'],
    ['berth agent rotate-keys --data ./data', 'of an agent that runs here'],
  ],
  async run({ words: [name], options: { data, finish = false, force = false } }, context) {
    if ((name === undefined) === (data === undefined)) {
      throw new UsageError('Give the name of a deployed agent, or --data with the folder of one on this machine.');
    }
    if (force && !finish) throw new UsageError('--force goes with --finish.');
    if (data !== undefined) {
      const folder = path.resolve(context.workingFolder, data);
      if (finish) return finishFolderKeys(folder, force, context.output);
      await rotateFolderKeys(folder, context.output);
      return 0;
    }
    const deployed = name ?? '';
    return finish ? finishDeployedKeys(deployed, force, context) : rotateDeployedKeys(deployed, context);
  },
});
