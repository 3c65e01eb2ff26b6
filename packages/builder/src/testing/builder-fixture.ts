import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import type { Artifact, Owner } from '@berth/runtime';
import { createFolderBuilder } from '../folder-builder.ts';
import type { FolderBuilderOptions } from '../folder-builder-options.ts';
import type { Builder, BuildResult } from '../port/builder.ts';
import { buildArchive } from './build-tar.ts';
import { askArtifact } from './serve-artifact.ts';
import { createSpawningSandbox, type SpawningSandbox } from './spawning-sandbox.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

/** Where the programs of a test's builds are looked for: the Node that runs the tests first. */
const TEST_PATH = [dirname(process.execPath), '/usr/local/go/bin', '/usr/local/bin', '/usr/bin', '/bin'].join(':');

export const OWNER: Owner = { account: 'account_one', deployment: 'shop' };

/** A line of a build's stream: of Berth, or (`isOutput`) of a command. */
export interface SaidLine {
  readonly line: string;
  readonly isOutput: boolean;
}

/** What came of one build. */
export interface Built {
  readonly result: BuildResult;
  readonly lines: readonly SaidLine[];
  /** Lines of Berth, the ones people follow. */
  readonly said: readonly string[];
}

export interface BuilderFixture extends AsyncDisposable {
  readonly root: string;
  readonly builder: Builder;
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
  /** Everything below the artifact folder, hidden things too. */
  artifacts(): Promise<string[]>;
  /** As {@link askArtifact}. */
  ask(artifact: Artifact, path: string): ReturnType<typeof askArtifact>;
}

export async function createBuilderFixture(
  options: Partial<FolderBuilderOptions> & {
    /** As of `createSpawningSandbox`. */
    readonly userId?: number;
    /** Programs (as scripts) that are found before those of the machine. */
    readonly programs?: Readonly<Record<string, string>>;
  } = {},
): Promise<BuilderFixture> {
  const folder = await createTemporaryFolder();
  const root = folder.path;
  const { userId, programs = {}, ...builderOptions } = options;
  const ownPrograms = join(root, 'programs');
  await mkdir(ownPrograms);
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(ownPrograms, name), script, { mode: 0o755 });
  const path = `${ownPrograms}:${TEST_PATH}`;
  const sandbox = createSpawningSandbox({ path, ...(userId === undefined ? {} : { userId }) });
  // Another user has to get through.
  await chmod(root, 0o711);
  const builder = createFolderBuilder({
    sandbox,
    archiveFolder: join(root, 'archives'),
    artifactFolder: join(root, 'artifacts'),
    cacheFolder: join(root, 'cache'),
    clock: createSystemClock(),
    logger: createSilentLogger(),
    ...builderOptions,
  });
  let count = 0;
  return {
    root,
    builder,
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
