import type { CommandGroup } from '../../command/command.ts';
import { keysCreate } from './create.ts';
import { keysLs } from './ls.ts';
import { keysRm } from './rm.ts';

/** `berth keys`. */
export const keys: CommandGroup = {
  name: 'keys',
  summary: 'API keys of the account',
  commands: [keysLs, keysCreate, keysRm],
};
