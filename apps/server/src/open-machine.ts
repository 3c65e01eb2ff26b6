import { homedir } from 'node:os';
import path from 'node:path';
import { type Builder, createFolderBuilder } from '@berth/builder';
import type { Clock, Logger } from '@berth/kit';
import type { Capability, Runtime } from '@berth/runtime';
import { createConfinement, createProcessRuntime, createProcessSandbox } from '@berth/runtime-process';
import { buildEnvironment } from './build-environment.ts';
import type { Config } from './config/read-config.ts';
import type { Shutdown } from './shutdown.ts';

/** What runs and builds services on this machine. */
export interface Machine {
  readonly runtime: Runtime;
  readonly builder: Builder;
  /** Host folder of the volumes. */
  readonly volumesFolder: string;
  capabilities(): Promise<readonly Capability[]>;
}

export interface OpenMachineOptions {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shutdown: Shutdown;
}

/** Finds out what the machine can enforce and makes the process runtime and its builder on it. */
export async function openMachine(options: OpenMachineOptions): Promise<Machine> {
  const { config, environment, dataFolder, clock, logger, shutdown } = options;
  const confinement = await createConfinement({
    ...{ dataFolder, clock, logger },
    programPath: environment['PATH'] ?? '',
    homeFolder: homedir(),
    nodePath: process.execPath,
    isolation: config.isolation,
  });
  shutdown.push('confinement', () => confinement.close());
  const work = (name: string) => path.join(confinement.workRoot, name);
  const runtime = await createProcessRuntime({ confinement, clock, logger });
  shutdown.push('runtime', () => runtime.close());
  const builder = createFolderBuilder({
    ...{ clock, logger },
    sandbox: await createProcessSandbox({ confinement, clock, logger }),
    archiveFolder: work('archives'),
    artifactFolder: work('artifacts'),
    cacheFolder: work('cache'),
    env: buildEnvironment(environment),
    limits: { timeoutMs: config.buildTimeoutSeconds * 1_000, parallelBuilds: config.parallelBuilds },
  });
  return {
    ...{ runtime, builder },
    volumesFolder: work('volumes'),
    capabilities: async () => [...(await runtime.capabilities()), ...(await builder.capabilities())],
  };
}
