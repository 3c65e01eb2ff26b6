import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import type { Artifact, Owner } from '@berth/runtime';
import { createFolderBuilder, type FolderBuilderOptions } from '../folder-builder.ts';
import type { Builder, BuildResult, LocalBuilder } from '../port/builder.ts';
import { shareBuilder } from '../shared/share-builder.ts';
import { buildArchive } from './build-tar.ts';
import { askArtifact } from './serve-artifact.ts';
import { createSpawningSandbox, type SpawningSandbox } from './spawning-sandbox.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/** PATH of the builds in tests. The Node that runs the tests comes first. */
const TEST_PATH = [dirname(process.execPath), '/usr/local/go/bin', '/usr/local/bin', '/usr/bin', '/bin'].join(':');

/** The owner that fixtures build for by default. */
export const OWNER: Owner = { account: 'account_one', deployment: 'shop' };

/** A line of a build's log, from Berth or (`isOutput`) from a command. */
export interface SaidLine {
  readonly line: string;
  readonly isOutput: boolean;
}

/** The result of one build and its log. */
export interface Built {
  readonly result: BuildResult;
  readonly lines: readonly SaidLine[];
  /** Berth's own lines. */
  readonly said: readonly string[];
}

/** A folder builder with its folders, for tests. */
export interface BuilderFixture extends AsyncDisposable {
  readonly root: string;
  readonly builder: Builder;
  /** The builder without `objects`. */
  readonly local: LocalBuilder;
  readonly sandbox: SpawningSandbox;
  /** Receives and builds a project (or an archive's bytes) as a revision of {@link OWNER}. */
  build(
    project: Readonly<Record<string, string>> | Buffer,
    options?: {
      readonly revision?: string;
      readonly owner?: Owner;
      readonly signal?: AbortSignal;
      readonly onLine?: (line: SaidLine) => void | Promise<void>;
    },
  ): Promise<Built>;
  /** Returns all paths below the artifact folder, including hidden ones. */
  artifacts(): Promise<string[]>;
  /** Requests a path from an artifact, as {@link askArtifact}. */
  ask(artifact: Artifact, path: string): ReturnType<typeof askArtifact>;
}

/** Creates a builder in a temporary folder that is removed on disposal. */
export async function createBuilderFixture(
  options: Partial<FolderBuilderOptions> & {
    /** As in `createSpawningSandbox`. */
    readonly userId?: number;
    /** Shares the builder through this store. */
    readonly objects?: ObjectStore;
    /** Scripts that are found before the machine's programs, by name. */
    readonly programs?: Readonly<Record<string, string>>;
  } = {},
): Promise<BuilderFixture> {
  const folder = await createTemporaryFolder();
  const root = folder.path;
  const { userId, programs = {}, objects, ...builderOptions } = options;
  const ownPrograms = join(root, 'programs');
  await mkdir(ownPrograms);
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(ownPrograms, name), script, { mode: 0o755 });
  const path = `${ownPrograms}:${TEST_PATH}`;
  const sandbox = createSpawningSandbox({ path, ...(userId === undefined ? {} : { userId }) });
  // The other user must be able to pass through.
  await chmod(root, 0o711);
  const clock = options.clock ?? createSystemClock();
  const local = createFolderBuilder({
    sandbox,
    archiveFolder: join(root, 'archives'),
    artifactFolder: join(root, 'artifacts'),
    cacheFolder: join(root, 'cache'),
    clock,
    logger: createSilentLogger(),
    ...builderOptions,
  });
  const builder = objects ? shareBuilder({ local, objects, clock, logger: createSilentLogger() }) : local;
  let count = 0;
  return {
    root,
    builder,
    local,
    sandbox,
    async build(project, { revision = `r${++count}`, owner = OWNER, signal, onLine } = {}) {
      const lines: SaidLine[] = [];
      const bytes = Buffer.isBuffer(project) ? project : buildArchive(project);
      const archive = await builder.receive(Readable.from([bytes]));
      const request = {
        owner,
        archive,
        revision,
        onLine: (line: string, isOutput: boolean) => {
          lines.push({ line, isOutput });
          return onLine?.({ line, isOutput });
        },
      };
      const result = await builder.build(request, { signal: signal ?? new AbortController().signal });
      return { result, lines, said: lines.filter(({ isOutput }) => !isOutput).map(({ line }) => line) };
    },
    artifacts: async () => (await readdir(join(root, 'artifacts'), { recursive: true }).catch(() => [])).sort(),
    ask: (artifact, path) => askArtifact(join(root, 'artifacts'), artifact, path),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
