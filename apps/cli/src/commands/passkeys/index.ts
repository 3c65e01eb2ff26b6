import type { CommandGroup } from '../../command/command.ts';
import { passkeysLs } from './ls.ts';
import { passkeysRename } from './rename.ts';
import { passkeysRm } from './rm.ts';

/** `berth passkeys`. */
export const passkeys: CommandGroup = {
  name: 'passkeys',
  summary: 'Passkeys you sign in with',
  commands: [passkeysLs, passkeysRename, passkeysRm],
};
