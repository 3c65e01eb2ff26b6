import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toContainerCommand } from '@berth/builder/image';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { ImageArtifact, Mount, VolumeFolder } from '@berth/runtime';
import type { Program, RuntimeHarness } from '@berth/runtime/contract';
import type { Engine } from '../engine/open-engine.ts';
import { parseAddressPool } from '../network/address-pool.ts';
import { type ContainerNetworks, type OpenNetworksOptions, openNetworks } from '../network/networks.ts';
import { createDockerRuntime, type DockerRuntimeOptions } from '../run/create-docker-runtime.ts';
import { buildImage } from './build-image.ts';

/** A docker runtime on the engine for tests. Disposing removes all it made but the images. */
export interface DockerHarness extends RuntimeHarness {
  readonly engine: Engine;
  readonly networks: ContainerNetworks;
  readonly serverId: string;
  makeArtifact(program: Program): Promise<ImageArtifact>;
  /** `source`: the volume's folder. */
  makeVolume(): Promise<Omit<Mount, 'isReadOnly'> & { readonly path: string; readonly source: string }>;
  /** An image of a Dockerfile and the files it copies. */
  makeImage(files: Readonly<Record<string, string>>): Promise<ImageArtifact>;
}

/** Apart from where servers take theirs. */
const POOL = parseAddressPool('10.214.0.0/16');
/** Where the tests' volumes are. */
export const VOLUMES = tmpdir();
export const BASE_IMAGE = 'berth-base/node';

/** Each account's own, apart from all groups of this machine; a server that is not root has none to give. */
export const testGroupOf: DockerRuntimeOptions['groupOf'] = async (account) =>
  process.getuid?.() === 0
    ? 700_000_000 + createHash('sha256').update(account).digest().readUInt16BE()
    : (process.getgid?.() ?? 0);

/** Returns the volume of a folder below {@link VOLUMES}. */
export function volumeAt(folder: string, subPath = ''): VolumeFolder {
  return { volume: path.relative(VOLUMES, folder), subPath };
}

export async function createDockerHarness(
  engine: Engine,
  options: Partial<DockerRuntimeOptions> & Pick<Partial<OpenNetworksOptions>, 'blockedRanges'> = {},
): Promise<DockerHarness> {
  const shared = { clock: createSystemClock(), logger: createSilentLogger() };
  const serverId = options.serverId ?? crypto.randomUUID();
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-docker-test-'));
  const { blockedRanges = [] } = options;
  const networks = await openNetworks({ engine, serverId, pool: POOL, blockedRanges, ...shared });
  const pinFolder = path.join(folder, 'pins');
  const defaults = { engine, networks, serverId, groupOf: testGroupOf, pinFolder, volumesFolder: VOLUMES };
  const runtime = await createDockerRuntime({ ...defaults, ...shared, ...options });
  const makeImage = async (files: Readonly<Record<string, string>>): Promise<ImageArtifact> => {
    const reference = await buildImage(engine, files);
    return { kind: 'image', reference, name: reference };
  };
  return {
    ...{ engine, networks, serverId, runtime, makeImage },
    makeArtifact: ({ files, command }) =>
      makeImage({
        ...files,
        Dockerfile: [
          `FROM ${BASE_IMAGE}`,
          'WORKDIR /app',
          'RUN chown 10001:10001 /app',
          'COPY --chown=10001:10001 . .',
          'USER 10001:10001',
          `CMD ${JSON.stringify(toContainerCommand(command))}`,
        ].join('\n'),
      }),
    async makeVolume() {
      const source = path.join(folder, crypto.randomUUID());
      await mkdir(source);
      const target = `/volume-${path.basename(source)}`;
      return { ...volumeAt(source), source, target, path: target };
    },
    readVolumeFile: (volume, name) => readFile(path.join(VOLUMES, volume, name), 'utf8'),
    async [Symbol.asyncDispose]() {
      await runtime.close({ graceMs: 0 });
      await networks.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
