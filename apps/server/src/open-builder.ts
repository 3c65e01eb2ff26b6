import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Builder, createFolderBuilder } from '@berth/builder';
import type { Clock, Logger } from '@berth/kit';
import { createImageBuilder, createNetworks, openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { buildEnvironment, findSystemBundle, registryVariables } from './build-environment.ts';
import type { Config } from './config/read-config.ts';
import type { ImageBuilds, Machine } from './machine/machine.ts';
import { readPool } from './machine/open-docker-machine.ts';

export interface OpenBuilderOptions extends Pick<Machine, 'builds' | 'workRoot'> {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes the builder whose builds the machine's runtime can start. */
export async function openBuilder(options: OpenBuilderOptions): Promise<Builder> {
  const { config, environment, builds, workRoot, clock, logger } = options;
  const archiveFolder = path.join(workRoot, 'archives');
  const limits = { timeoutMs: config.buildTimeoutSeconds * 1_000, parallelBuilds: config.parallelBuilds };
  if (builds.kind === 'images') return openImageBuilder(options, builds, { archiveFolder, limits });
  return createFolderBuilder({
    ...{ sandbox: builds.sandbox, clock, logger, archiveFolder, limits },
    artifactFolder: path.join(workRoot, 'artifacts'),
    cacheFolder: path.join(workRoot, 'cache'),
    env: buildEnvironment(environment),
  });
}

async function openImageBuilder(
  { config, environment, workRoot, clock, logger }: OpenBuilderOptions,
  { engineAddress, serverId }: ImageBuilds,
  common: Pick<Parameters<typeof createImageBuilder>[0], 'archiveFolder' | 'limits'>,
): Promise<Builder> {
  const engine = await openEngine(parseEngineAddress(engineAddress));
  const bundle = findSystemBundle();
  return createImageBuilder({
    ...{ ...common, engine, serverId, clock, logger },
    networks: createNetworks({ engine, serverId, pool: readPool(config.dockerSubnets), logger }),
    workFolder: path.join(workRoot, 'image-builds'),
    images: config.baseImages,
    buildArgs: { ...registryVariables(environment), ...config.buildArgs },
    bundle: bundle && readFileSync(bundle, 'utf8'),
  });
}
