import type { CommandGroup } from '../../command/command.ts';
import { identitiesLs } from './ls.ts';
import { identitiesRm } from './rm.ts';

/** `berth identities`. */
export const identities: CommandGroup = {
  name: 'identities',
  summary: 'Outside providers you sign in with',
  commands: [identitiesLs, identitiesRm],
};
