import type { CommandGroup } from '../../command/command.ts';
import { envLs } from './ls.ts';
import { envRm } from './rm.ts';
import { envSet } from './set.ts';

/** `berth env`. */
export const env: CommandGroup = {
  name: 'env',
  summary: 'Environment variables and secrets of a deployment',
  commands: [envSet, envLs, envRm],
};
