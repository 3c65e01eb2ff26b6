import type { CommandGroup } from '../../command/command.ts';
import { accountCreate } from './account/create.ts';
import { accountPlan } from './account/plan.ts';
import { adminBackup } from './backup.ts';
import { adminDisk } from './disk.ts';
import { adminPrune } from './prune.ts';
import { adminReconcile } from './reconcile.ts';
import { adminRestore } from './restore.ts';

/** `berth admin`. */
export const admin: CommandGroup = {
  name: 'admin',
  summary: 'What the operator of the server may do',
  commands: [
    adminBackup,
    adminRestore,
    adminDisk,
    adminPrune,
    { name: 'account', summary: 'Accounts of the server', commands: [accountCreate, accountPlan] },
    adminReconcile,
  ],
};
