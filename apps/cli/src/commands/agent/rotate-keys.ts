import path from 'node:path';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { finishDeployedKeys, rotateDeployedKeys } from './rotate-deployed-keys.ts';
import { finishFolderKeys, rotateFolderKeys } from './rotate-folder-keys.ts';

/** `berth agent rotate-keys`. */
export const agentRotateKeys = defineCommand({
  name: 'rotate-keys',
  summary: "Rotate the key that encrypts an agent's connections",
  description:
    'Creates the key that encrypts new connections. Older keys stay, so existing connections keep working; the agent ' +
    're-encrypts them when it starts. After that, --finish removes the older keys.',
  words: { '[name]': 'Name of the deployed agent' },
  options: {
    '--data <folder>': 'The data folder of an agent on this machine, instead of a name',
    '--finish': 'Remove the older keys once everything is re-encrypted',
    '--force': 'With --finish: remove older keys even if connections still use them',
  },
  examples: [
    ['berth agent rotate-keys my-agent', 'a new key for a deployed agent, as a new revision'],
    ['berth agent rotate-keys my-agent --finish', 'later: remove the older ones'],
    ['berth agent rotate-keys --data ./data', 'an agent on this machine'],
  ],
  async run({ words: [name], options: { data, finish = false, force = false } }, context) {
    if ((name === undefined) === (data === undefined)) {
      throw new UsageError("Give the name of a deployed agent, or --data with an agent's data folder on this machine.");
    }
    if (force && !finish) throw new UsageError('--force requires --finish.');
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
