import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Builder, BuildRequest, ReceiveOptions, StoredArchive } from '@berth/builder';
import { createError } from '@berth/contract';
import type { Artifact, FolderArtifact, ReleaseCommand } from '@berth/runtime';
import { untilAborted } from './until-aborted.ts';

/** Replaces a build; throw a BerthError to fail it. */
export type FakeBuild = (request: BuildRequest, signal: AbortSignal) => void | Promise<void>;

/** A builder that keeps archives on disk and artifacts in memory. */
export interface FakeBuilder extends Builder {
  /** Revisions that have an artifact. */
  readonly built: ReadonlySet<string>;
  /** All requests, in order. */
  readonly requests: readonly BuildRequest[];
  /** Names of the stored archives. */
  archives(): Promise<string[]>;
  /** Sets what later builds do. Default: print one line. */
  whenBuilding(build: FakeBuild): void;
  /** Sets the release command of later builds. Default: none. */
  setRelease(release: ReleaseCommand): void;
  /** Makes later builds those of agents. */
  makeAgents(): void;
  /** From now on, projects require these variables. */
  requireVariables(names: readonly string[]): void;
  /** Ends running work without a result, as when the process dies. Stored files stay. */
  crash(): Promise<void>;
}

/** @param folder for archives; created when missing. */
export function createFakeBuilder(folder: string): FakeBuilder {
  const built = new Set<string>();
  const requests: BuildRequest[] = [];
  const receiving = new Set<Promise<unknown>>();
  let lives = 0;
  let release: ReleaseCommand | undefined;
  let isAgent = false;
  let requiredEnv: readonly string[] = [];
  let behaviour: FakeBuild = ({ onLine }) => onLine('installed nothing', true);

  async function receive(
    source: Readable,
    { maxBytes = Number.POSITIVE_INFINITY, signal }: ReceiveOptions = {},
  ): Promise<StoredArchive> {
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, `${randomUUID()}.tar.gz`);
    const hash = createHash('sha256');
    let sizeBytes = 0;
    try {
      await pipeline(
        source,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            sizeBytes += chunk.length;
            if (sizeBytes > maxBytes) throw createError('archive_too_large', `over ${maxBytes} bytes`);
            hash.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(file),
        ...(signal ? [{ signal }] : []),
      );
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    return { path: file, sizeBytes, sha256: hash.digest('hex') };
  }

  return {
    artifactKind: 'folder',
    built,
    requests,
    async archives() {
      await mkdir(folder, { recursive: true });
      return readdir(folder);
    },
    whenBuilding(build) {
      behaviour = build;
    },
    setRelease(next) {
      release = next;
    },
    requireVariables(names) {
      requiredEnv = names;
    },
    makeAgents() {
      isAgent = true;
    },
    async crash() {
      lives++;
      await Promise.allSettled(receiving);
    },
    receive(source, options) {
      const received = receive(source, options);
      receiving.add(received);
      return received.finally(() => receiving.delete(received));
    },
    async discard(archive) {
      await rm(archive.path, { force: true });
    },
    hasArchive: async ({ path: file, sizeBytes }) => (await stat(file).catch(() => undefined))?.size === sizeBytes,
    async build(request, { signal }) {
      requests.push(request);
      const life = lives;
      if (built.has(request.revision)) throw new Error(`${request.revision} was built before`);
      await request.onLine('Detected a fake project', false);
      await untilAborted(signal, 'the build was canceled', () => behaviour(request, signal));
      if (life !== lives) return new Promise<never>(() => {});
      built.add(request.revision);
      const artifact = {
        ...artifactOf(request.revision),
        ...(release ? { release } : {}),
        ...(isAgent && { isAgent: true as const }),
      };
      return { artifact, digest: `sha256:${request.archive.sha256}`, requiredEnv, buildMs: 5 };
    },
    adopt: async () => {},
    async remove(artifact) {
      built.delete(revisionOf(artifact));
    },
    async collect(keep) {
      const kept = new Set(keep.artifacts.map(revisionOf));
      for (const revision of built) if (!kept.has(revision)) built.delete(revision);
      for (const name of await this.archives()) {
        const file = path.join(folder, name);
        if (!keep.archives.some((archive) => archive.path === file)) await rm(file, { force: true });
      }
    },
    async prune({ isDryRun, readNeeded }) {
      const found = [...built];
      const { artifacts, deploying } = await readNeeded();
      const kept = new Set(artifacts.map(revisionOf));
      const isDeploying = (revision: string) =>
        deploying.some(({ deployment }) => revision.startsWith(`${deployment}-`));
      const unneeded = found.filter((revision) => !kept.has(revision) && !isDeploying(revision));
      if (!isDryRun) for (const revision of unneeded) built.delete(revision);
      return [{ what: 'artifacts', count: unneeded.length, sizeBytes: unneeded.length }];
    },
    capabilities: async () => [],
  };
}

function artifactOf(revision: string): FolderArtifact {
  return { kind: 'folder', path: `/artifacts/${revision}`, command: ['serve'], env: {}, sharedFolders: [] };
}

function revisionOf(artifact: Artifact): string {
  return artifact.kind === 'folder' ? path.basename(artifact.path) : artifact.reference;
}
