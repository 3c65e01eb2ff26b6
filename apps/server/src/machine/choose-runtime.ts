import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_BASE_IMAGES } from '@berth/builder/image';
import type { Engine } from '@berth/runtime-docker';
import type { PartOptions } from '../context/part-options.ts';
import { writePrivateFile } from '../data-folder/write-private-file.ts';

/** What services of this server run as. */
export type ChosenRuntime = { readonly kind: 'process' } | { readonly kind: 'docker'; readonly engine: Engine };

type Kind = ChosenRuntime['kind'];

/**
 * Decides what services run as. `auto` stays with what the data folder has been used with, so that nothing that is built
 * has to be built again; a fresh one gets containers where an engine answers that has every base image, since a machine
 * without a registry in reach could build nothing else.
 * @throws BerthError `unavailable` when it is docker and no engine that Berth can work with answers.
 */
export async function chooseRuntime({ config, environment, logger }: PartOptions): Promise<ChosenRuntime> {
  const file = path.join(config.dataFolder, 'runtime-kind');
  const before = readKind(file, config.dataFolder);
  const wanted = config.runtime === 'auto' ? before : config.runtime;
  let chosen: ChosenRuntime = { kind: 'process' };
  if (wanted === 'docker') chosen = { kind: 'docker', engine: await reachEngine(environment['DOCKER_HOST']) };
  else if (wanted === undefined) {
    const engine = await reachEngine(environment['DOCKER_HOST']).catch(() => undefined);
    const images = Object.values({ ...DEFAULT_BASE_IMAGES, ...config.baseImages });
    if (engine && (await hasImages(engine, images))) chosen = { kind: 'docker', engine };
  }
  if (before !== undefined && before !== chosen.kind) {
    logger.warn(
      { before, now: chosen.kind },
      'the runtime is another one than before: what was built for the other has to be deployed again',
    );
  }
  if (before !== chosen.kind) writePrivateFile(file, `${chosen.kind}\n`);
  return chosen;
}

/** Loads the client of the engine, which is large, only where one is asked for. */
async function reachEngine(dockerHost: string | undefined): Promise<Engine> {
  const { openEngine, parseEngineAddress } = await import('@berth/runtime-docker');
  return openEngine(parseEngineAddress(dockerHost));
}

/** What a data folder was used with; undefined for a fresh one. */
function readKind(file: string, dataFolder: string): Kind | undefined {
  // Older than the question: only the process runtime keeps records of what it runs.
  if (!existsSync(file)) return existsSync(path.join(dataFolder, 'runtime/running')) ? 'process' : undefined;
  return readFileSync(file, 'utf8').trim() === 'docker' ? 'docker' : 'process';
}

async function hasImages({ docker }: Engine, names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    names.map((name) =>
      docker
        .getImage(name)
        .inspect()
        .then(
          () => true,
          () => false,
        ),
    ),
  );
  return found.every(Boolean);
}
