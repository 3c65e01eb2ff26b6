import type { CommandSandbox } from '@berth/runtime';

/**
 * Returns a sandbox that is opened with the first call that needs it.
 * @param open resolves with undefined when the machine has none; then no program is found
 */
export function createLazySandbox(open: () => Promise<CommandSandbox | undefined>): CommandSandbox {
  let opening: Promise<CommandSandbox | undefined> | undefined;
  const get = () => {
    opening ??= open().catch((error: unknown) => {
      // The next call tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const require = async () => {
    const sandbox = await get();
    if (!sandbox) throw new Error('a program was run that was not found');
    return sandbox;
  };
  return {
    run: async (spec, options) => (await require()).run(spec, options),
    giveToOwner: async (folder, owner) => (await require()).giveToOwner(folder, owner),
    seal: async (folder, owner, options) => (await require()).seal(folder, owner, options),
    findProgram: async (name) => (await get())?.findProgram(name),
    findVersion: async (name) => (await get())?.findVersion(name),
  };
}
