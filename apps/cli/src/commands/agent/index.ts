import type { CommandGroup } from '../../command/command.ts';
import { agentRotateKeys } from './rotate-keys.ts';

/** `berth agent`. */
export const agent: CommandGroup = {
  name: 'agent',
  summary: 'Agents',
  commands: [agentRotateKeys],
};
