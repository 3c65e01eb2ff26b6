import { join } from 'node:path';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { Confinement } from '../confinement/confinement.ts';
import { type ConfinementOptions, createConfinement } from '../confinement/create-confinement.ts';
import { makeFolder } from '../host/make-folder.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/** A confinement on a data folder of its own, for several tests: to make one takes half a second. */
export interface Machine extends AsyncDisposable {
  readonly confinement: Confinement;
  readonly dataFolder: string;
  /** Where everyone may pass, and nothing of the server lies. */
  readonly outside: string;
}

export interface MachineOptions {
  readonly isolation?: 'auto' | 'none';
  /** Where the data folder is made. */
  readonly parent?: string;
  readonly overrides?: Partial<ConfinementOptions>;
}

export const clock = createSystemClock();
export const logger = createSilentLogger();

/** The options of a confinement on this machine, as the server makes them. */
export function confinementOptions(dataFolder: string): ConfinementOptions {
  return {
    dataFolder,
    programPath: process.env['PATH'] ?? '',
    homeFolder: process.env['HOME'] ?? '/',
    nodePath: process.execPath,
    clock,
    logger,
  };
}

export async function createMachine({ isolation = 'auto', parent, overrides }: MachineOptions = {}): Promise<Machine> {
  const outside = await createTemporaryFolder();
  await makeFolder(outside.path, 0o711);
  const above = parent === undefined ? undefined : await createTemporaryFolder(parent);
  const dataFolder = join(above?.path ?? outside.path, 'data');
  await makeFolder(dataFolder, 0o700);
  const options = { ...confinementOptions(dataFolder), isolation, publicFolders: [outside.path], ...overrides };
  const confinement = await createConfinement(options);
  return {
    confinement,
    dataFolder,
    outside: outside.path,
    async [Symbol.asyncDispose]() {
      await confinement.close();
      await outside[Symbol.asyncDispose]();
      await above?.[Symbol.asyncDispose]();
    },
  };
}
