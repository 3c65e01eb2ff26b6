import { findHome } from '@berth/kit/node';
import { createConfinement, createProcessRuntime, createProcessSandbox } from '@berth/runtime-process';
import type { PartOptions } from '../context/part-options.ts';
import { sharedGroupFolder, volumesFolder, workFolders } from '../data-folder/platform-folders.ts';
import type { Machine } from './machine.ts';

/** Probes what the machine can enforce and opens the process runtime. */
export async function openProcessMachine(options: PartOptions): Promise<Machine> {
  const { config, environment, clock, logger, shutdown } = options;
  const confinement = await createConfinement({
    dataFolder: config.dataFolder,
    groupFolder: sharedGroupFolder(config),
    clock,
    logger,
    programPath: environment['PATH'] ?? '',
    homeFolder: findHome(),
    nodePath: process.execPath,
    isolation: config.isolation,
    allowsNestedSandboxes: config.nestedSandboxes,
    networks: config.networks,
    hostPorts: config.hostPorts,
    blockedRanges: config.blockedRanges,
  });
  shutdown.push('confinement', () => confinement.close());
  const runtime = await createProcessRuntime({
    confinement,
    clock,
    logger,
    artifactFolder: workFolders(confinement.workRoot).artifacts,
    volumesFolder: volumesFolder(config, confinement.workRoot),
  });
  shutdown.push('runtime', () => runtime.close());
  const sandbox = await createProcessSandbox({ confinement, clock, logger });
  const { workRoot } = confinement;
  return { runtime, workRoot, builds: { kind: 'folders', sandbox }, git: { sandbox, workRoot } };
}
