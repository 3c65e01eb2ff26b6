import type { Clock, Logger } from '@berth/kit';
import type { CommandSandbox } from '@berth/runtime';
import { runCommand } from './command/run-command.ts';
import type { Confinement } from './confinement/confinement.ts';
import { giveTree, sealTree } from './identity/ownership.ts';
import { removeTree } from './identity/remove-tree.ts';

/** Options of {@link createProcessSandbox}. */
export interface ProcessSandboxOptions {
  readonly confinement: Confinement;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the sandbox that runs commands as processes of this machine. It needs no closing. */
export async function createProcessSandbox({
  confinement,
  clock,
  logger,
}: ProcessSandboxOptions): Promise<CommandSandbox> {
  return {
    async run(spec, { signal } = {}) {
      signal?.throwIfAborted();
      const identity = await confinement.identityOf(spec.owner);
      const name = `c-${crypto.randomUUID().slice(0, 13)}`;
      const privateFolder = await confinement.createPrivateFolder(name, identity);
      try {
        return await runCommand({ spec, name, identity, privateFolder, confinement, signal, clock, logger });
      } finally {
        await removeTree(privateFolder);
      }
    },
    async giveToOwner(folder, owner) {
      const identity = await confinement.identityOf(owner);
      if (identity) await giveTree(folder, identity);
    },
    async seal(folder, owner, options) {
      const identity = await confinement.identityOf(owner);
      if (identity) await sealTree(folder, identity, options);
    },
    findProgram: confinement.findProgram,
    findVersion: confinement.findVersion,
  };
}
