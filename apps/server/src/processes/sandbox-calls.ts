import type { CommandOutcome, CommandSandbox, CommandSpec, Owner, SealOptions } from '@berth/runtime';
import type { CallContext, Calls } from './calls.ts';

/** The calls of a sandbox in another process. The callbacks of a command stay with its caller. */
export type SandboxHandlers = ReturnType<typeof sandboxHandlers>;

type RemoteCommand = Omit<CommandSpec, 'onLine'>;
interface Grant {
  readonly folder: string;
  readonly owner: Owner;
}

/** Creates handlers that run the calls of {@link createRemoteSandbox} in this process's sandbox. */
export function sandboxHandlers(sandbox: CommandSandbox) {
  return {
    run: (spec: RemoteCommand, { signal, emit }: CallContext): Promise<CommandOutcome> =>
      sandbox.run({ ...spec, onLine: emit }, { signal }),
    giveToOwner: ({ folder, owner }: Grant) => sandbox.giveToOwner(folder, owner),
    seal: ({ folder, owner, options }: Grant & { readonly options?: SealOptions }) =>
      sandbox.seal(folder, owner, options),
    findProgram: (name: string) => sandbox.findProgram(name),
    findVersion: (name: string) => sandbox.findVersion(name),
  };
}

/** Creates a sandbox that runs commands in the main process. They are killed when this process ends. */
export function createRemoteSandbox(calls: Calls<SandboxHandlers>): CommandSandbox {
  return {
    run: ({ onLine, ...spec }, { signal } = {}) =>
      calls.call('run', spec, { signal, onEvent: (line) => onLine(line as string) }),
    giveToOwner: (folder, owner) => calls.call('giveToOwner', { folder, owner }),
    seal: (folder, owner, options) => calls.call('seal', { folder, owner, ...(options && { options }) }),
    findProgram: (name) => calls.call('findProgram', name),
    findVersion: (name) => calls.call('findVersion', name),
  };
}
