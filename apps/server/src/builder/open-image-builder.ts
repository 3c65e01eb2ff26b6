import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LocalBuilder } from '@berth/builder';
import { createError } from '@berth/contract/errors';
import { createImageBuilder, createNetworks, openEngine, parseEngineAddress } from '@berth/runtime-docker';
import type { PartOptions } from '../context/part-options.ts';
import type { ImageBuilds, Machine } from '../machine/machine.ts';
import { readPool } from '../machine/open-docker-machine.ts';
import { findSystemBundle, imageBuildVariables } from './build-environment.ts';

/** Opens the image builder on the machine's engine. */
export async function openImageBuilder(
  {
    config,
    environment,
    workRoot,
    clock,
    logger,
  }: Pick<PartOptions, 'config' | 'environment' | 'clock' | 'logger'> & Pick<Machine, 'workRoot'>,
  { engineAddress, serverId }: ImageBuilds,
  common: Pick<Parameters<typeof createImageBuilder>[0], 'archiveFolder' | 'limits' | 'library'>,
): Promise<LocalBuilder> {
  const engine = await openEngine(parseEngineAddress(engineAddress));
  const variables = imageBuildVariables(environment, (name) =>
    logger.warn({ name }, 'builds do not get a variable with credentials; list it in --build-args to pass it'),
  );
  return createImageBuilder({
    ...common,
    engine,
    serverId,
    clock,
    logger,
    networks: createNetworks({ engine, serverId, pool: readPool(config.dockerSubnets), logger }),
    workFolder: path.join(workRoot, 'image-builds'),
    images: config.baseImages,
    allowedImages: config.allowedImages,
    buildArgs: { ...variables, ...config.buildArgs },
    bundle: findBundle(config),
  });
}

/**
 * Returns the certificates that builds trust: the operator's, or the machine's.
 * @throws BerthError `invalid` when the file is missing or holds no certificate
 */
export function findBundle({ buildCa }: Pick<PartOptions['config'], 'buildCa'>): string | undefined {
  const file = buildCa ?? findSystemBundle();
  return file === undefined ? undefined : readBundle(file);
}

function readBundle(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (cause) {
    throw createError('invalid', `BERTH_BUILD_CA: ${file} cannot be read.`, { cause });
  }
  throw createError('invalid', `BERTH_BUILD_CA: ${file} contains no PEM certificate.`);
}
