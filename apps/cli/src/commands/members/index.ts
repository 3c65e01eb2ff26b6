import type { CommandGroup } from '../../command/command.ts';
import { membersInvite } from './invite.ts';
import { membersInvites } from './invites.ts';
import { membersLeave } from './leave.ts';
import { membersLs } from './ls.ts';
import { membersRm } from './rm.ts';
import { membersRole } from './role.ts';
import { membersUninvite } from './uninvite.ts';

/** `berth members`. */
export const members: CommandGroup = {
  name: 'members',
  summary: 'People of the account, and what they may do',
  commands: [membersLs, membersInvite, membersInvites, membersUninvite, membersRole, membersRm, membersLeave],
};
