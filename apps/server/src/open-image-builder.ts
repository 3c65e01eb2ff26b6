import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Builder } from '@berth/builder';
import { createImageBuilder, createNetworks, openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { findSystemBundle, registryVariables } from './build-environment.ts';
import type { OpenBuilderOptions } from './builder-options.ts';
import type { ImageBuilds } from './machine/machine.ts';
import { readPool } from './machine/open-docker-machine.ts';

/** Makes the builder of images on the machine's engine. */
export async function openImageBuilder(
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
