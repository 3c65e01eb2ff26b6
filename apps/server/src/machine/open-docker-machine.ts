import path from 'node:path';
import { createError } from '@berth/contract';
import { createDockerRuntime, type Engine, openNetworks, parseAddressPool } from '@berth/runtime-docker';
import { openAccountGroups, prepareWorkRoot } from '@berth/runtime-process';
import type { PartOptions } from '../context/part-options.ts';
import { sharedGroupFolder, volumesFolder } from '../data-folder/platform-folders.ts';
import type { Machine } from './machine.ts';
import { openGitPlace } from './open-git-place.ts';

/** Opens the docker runtime on an engine. */
export async function openDockerMachine(options: PartOptions, engine: Engine, serverId: string): Promise<Machine> {
  const { config, clock, logger, shutdown } = options;
  const pool = readPool(config.dockerSubnets);
  const networks = await openNetworks({ engine, serverId, pool, blockedRanges: config.blockedRanges, logger });
  shutdown.push('networks', () => networks.close());
  const groups =
    process.getuid?.() === 0 ? await openAccountGroups(config.dataFolder, sharedGroupFolder(config)) : undefined;
  if (groups) shutdown.push('account groups', () => groups.close());
  const workRoot = await prepareWorkRoot({ dataFolder: path.resolve(config.dataFolder), needsPublic: false });
  const runtime = await createDockerRuntime({
    engine,
    networks,
    serverId,
    clock,
    logger,
    groupOf: async (account) => groups?.of(account) ?? process.getgid?.() ?? 0,
    volumesFolder: volumesFolder(config, workRoot),
    pinFolder: path.resolve(config.dataFolder, 'runtime/pins'),
    isRootAllowed: config.allowRootImages,
    isRootReadOnly: config.readOnlyRoot,
    ociRuntime: config.dockerRuntime,
  });
  shutdown.push('runtime', () => runtime.close());
  return {
    runtime,
    workRoot,
    builds: { kind: 'images', engineAddress: engine.address, serverId },
    git: await openGitPlace(options),
  };
}

/** Parses the address pool of networks. @throws BerthError `invalid` */
export function readPool(text: string) {
  try {
    return parseAddressPool(text);
  } catch (error) {
    throw createError('invalid', `--docker-subnets ${(error as Error).message}.`);
  }
}
