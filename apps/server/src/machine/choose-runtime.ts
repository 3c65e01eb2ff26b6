import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_BASE_IMAGES } from '@berth/builder/image';
import type { Engine } from '@berth/runtime-docker';
import type { PartOptions } from '../context/part-options.ts';
import { writePrivateFile } from '../data-folder/write-private-file.ts';

/** The kind of runtime that services run on. */
export type ChosenRuntime =
  | { readonly kind: 'process' }
  | { readonly kind: 'kubernetes' }
  | { readonly kind: 'docker'; readonly engine: Engine };

type Kind = ChosenRuntime['kind'];

/**
 * Chooses the runtime. `auto` keeps the one that the data folder has been used with, so that artifacts stay usable. A new folder gets
 * containers if an engine with every base image answers, because without a registry others couldn't be built.
 * @throws BerthError `unavailable` when docker is required and no suitable engine answers
 */
export async function chooseRuntime({ config, environment, logger }: PartOptions): Promise<ChosenRuntime> {
  const file = path.join(config.dataFolder, 'runtime-kind');
  const before = readKind(file, config.dataFolder);
  const wanted = config.runtime === 'auto' ? before : config.runtime;
  let chosen: ChosenRuntime = { kind: 'process' };
  if (wanted === 'kubernetes') chosen = { kind: 'kubernetes' };
  else if (wanted === 'docker') chosen = { kind: 'docker', engine: await reachEngine(environment['DOCKER_HOST']) };
  else if (wanted === undefined) {
    const engine = await reachEngine(environment['DOCKER_HOST']).catch(() => undefined);
    const images = Object.values({ ...DEFAULT_BASE_IMAGES, ...config.baseImages });
    if (engine && (await hasImages(engine, images))) chosen = { kind: 'docker', engine };
  }
  if (before !== undefined && before !== chosen.kind) {
    logger.warn(
      { before, now: chosen.kind },
      'the runtime has changed: deployments built for the previous runtime must be deployed again',
    );
  }
  if (before !== chosen.kind) writePrivateFile(file, `${chosen.kind}\n`);
  return chosen;
}

/** Connects to the engine. Its client is large, so it is loaded only when needed. */
async function reachEngine(dockerHost: string | undefined): Promise<Engine> {
  const { openEngine, parseEngineAddress } = await import('@berth/runtime-docker');
  return openEngine(parseEngineAddress(dockerHost));
}

/** Reads the runtime that a data folder was used with; undefined for a new folder. */
function readKind(file: string, dataFolder: string): Kind | undefined {
  // Folders of versions that had only the process runtime have its records instead.
  if (!existsSync(file)) return existsSync(path.join(dataFolder, 'runtime/running')) ? 'process' : undefined;
  const kind = readFileSync(file, 'utf8').trim();
  return kind === 'docker' || kind === 'kubernetes' ? kind : 'process';
}

async function hasImages({ docker }: Engine, names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    names.map((name) =>
      docker
        .getImage(name)
        .inspect()
        .then(() => true)
        .catch(() => false),
    ),
  );
  return found.every(Boolean);
}
