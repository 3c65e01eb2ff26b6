import { homedir } from 'node:os';
import type { CommandSandbox, Runtime } from '@berth/runtime';
import { createConfinement, createProcessRuntime, createProcessSandbox } from '@berth/runtime-process';
import type { PartOptions } from './compose/part-options.ts';

/** What runs services and the commands of builds on this machine. */
export interface Machine {
  readonly runtime: Runtime;
  readonly sandbox: CommandSandbox;
  /** Host folder for all that tenants' programs have to see: archives, artifacts, caches, volumes. */
  readonly workRoot: string;
}

/** Finds out what the machine can enforce and makes the process runtime on it. */
export async function openMachine(options: PartOptions): Promise<Machine> {
  const { config, environment, clock, logger, shutdown } = options;
  const confinement = await createConfinement({
    ...{ dataFolder: config.dataFolder, clock, logger },
    programPath: environment['PATH'] ?? '',
    homeFolder: homedir(),
    nodePath: process.execPath,
    isolation: config.isolation,
  });
  shutdown.push('confinement', () => confinement.close());
  const runtime = await createProcessRuntime({ confinement, clock, logger });
  shutdown.push('runtime', () => runtime.close());
  const sandbox = await createProcessSandbox({ confinement, clock, logger });
  return { runtime, sandbox, workRoot: confinement.workRoot };
}
