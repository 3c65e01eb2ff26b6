import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Builder, BuildResult } from '@berth/builder';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { ImageArtifact, Owner } from '@berth/runtime';
import tar from 'tar-stream';
import { createImageBuilder } from '../build/create-image-builder.ts';
import type { ImageBuilderOptions } from '../build/image-builder-options.ts';
import type { Engine } from '../engine/open-engine.ts';
import { parseAddressPool } from '../network/address-pool.ts';
import { type ContainerNetworks, type OpenNetworksOptions, openNetworks } from '../network/networks.ts';

/** What `tools/base-images` makes. */
export const BASE_IMAGES = {
  node: 'berth-base/node',
  python: 'berth-base/python',
  go: 'berth-base/go',
  plain: 'berth-base/debian',
};

export const OWNER: Owner = { account: 'account_one', deployment: 'shop' };

/** What came of one build. */
export interface BuiltImage extends BuildResult {
  readonly artifact: ImageArtifact;
  /** Lines of Berth. */
  readonly said: readonly string[];
  /** Lines of what ran. */
  readonly output: readonly string[];
}

export interface BuildOptions {
  readonly revision?: string;
  readonly owner?: Owner;
  readonly port?: number;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
}

/** An image builder on the engine for tests. Disposing removes the images it made. */
export interface ImageBuilderFixture extends AsyncDisposable {
  readonly builder: Builder;
  readonly networks: ContainerNetworks;
  build(files: Readonly<Record<string, string>>, options?: BuildOptions): Promise<BuiltImage>;
  /** What a command prints in a container of an image. */
  run(artifact: ImageArtifact, ...argv: readonly string[]): Promise<string>;
}

const POOL = parseAddressPool('10.215.0.0/16');

export async function createImageBuilderFixture(
  engine: Engine,
  options: Partial<ImageBuilderOptions> & Pick<OpenNetworksOptions, 'blockedRanges'> = {},
): Promise<ImageBuilderFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-images-'));
  const shared = { engine, clock: createSystemClock(), logger: createSilentLogger(), serverId: crypto.randomUUID() };
  const { blockedRanges = [] } = options;
  const networks = await openNetworks({ ...shared, pool: POOL, blockedRanges });
  const builder = createImageBuilder({
    ...shared,
    ...{ networks, images: BASE_IMAGES, allowedImages: ['official', 'berth.invalid/*'] },
    archiveFolder: path.join(folder, 'archives'),
    workFolder: path.join(folder, 'work'),
    ...options,
  });
  let count = 0;
  return {
    builder,
    networks,
    async build(files, { revision = `r${++count}`, owner = OWNER, port, signal, onLine } = {}) {
      const said: string[] = [];
      const output: string[] = [];
      const archive = await builder.receive(Readable.from([await packFiles(files)]));
      const result = await builder.build(
        {
          ...{ owner, archive, revision },
          ...(port === undefined ? {} : { port }),
          onLine(line, isOutput) {
            (isOutput ? output : said).push(line);
            onLine?.(line);
          },
        },
        { signal: signal ?? new AbortController().signal },
      );
      return { ...result, artifact: result.artifact as ImageArtifact, said, output };
    },
    async run({ reference }, ...argv) {
      const container = await engine.docker.createContainer({ Image: reference, Cmd: [...argv], Tty: true });
      try {
        await container.start();
        await container.wait();
        return String(await container.logs({ stdout: true, stderr: true })).replaceAll('\r\n', '\n');
      } finally {
        await container.remove({ force: true });
      }
    },
    async [Symbol.asyncDispose]() {
      await builder.collect({ artifacts: [], archives: [] });
      await networks.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A project as an archive: path to content. */
async function packFiles(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const pack = tar.pack();
  for (const [name, content] of Object.entries(files)) pack.entry({ name }, content);
  pack.finalize();
  return gzipSync(await buffer(pack));
}
