import { randomUUID } from 'node:crypto';
import { link, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LogEngine } from '../engine/create-log-engine.ts';
import { forEachBounded } from '../for-each-bounded.ts';
import { isMissing } from '../log-files.ts';
import type { Segment } from '../segment-writer.ts';

/** All entries of an account at one moment, in files of its own that stay as they are until they are released. */
export interface LogSnapshot {
  /** Names the account in the ids of the entries; see `scopeFolder`. */
  readonly accountFolder: string;
  /** Parquet, absolute: `…/<folder of the deployment>/<segment>`. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** Removes the files. Idempotent. */
  release(): Promise<void>;
}

export interface SnapshotSource {
  /** Where snapshots are made: on the file system of the segments, for they are links. */
  readonly folder: string;
  readonly accountFolder: string;
  readonly deploymentFolders: readonly string[];
  readonly engine: Pick<LogEngine, 'write'>;
  /** The segments of a deployment; what was appended before the call is in them. */
  segmentsOf(deploymentFolder: string): Promise<readonly Segment[]>;
}

/** Deployments looked at side by side. */
const AT_ONCE = 4;

/** Segments are replaced by others while they are linked; that often in a row they never are. */
const ATTEMPTS = 5;

/**
 * Links the segments of columns, which never change, and writes those of lines as columns too: whoever reads the snapshot
 * needs no lock on the log, and has nothing in its folder that is not the account's.
 * @throws the system's error, or the engine's.
 */
export async function takeSnapshot(source: SnapshotSource): Promise<LogSnapshot> {
  const folder = join(source.folder, randomUUID());
  const found: (readonly Taken[])[] = [];
  try {
    await forEachBounded([...source.deploymentFolders], AT_ONCE, async (deployment) => {
      found.push(await takeDeployment(source, deployment, join(folder, deployment)));
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const taken = found.flat();
  return {
    accountFolder: source.accountFolder,
    files: taken.map((file) => file.path),
    bytes: taken.reduce((sum, file) => sum + file.bytes, 0),
    release: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Taken {
  readonly path: string;
  readonly bytes: number;
}

async function takeDeployment(source: SnapshotSource, deployment: string, target: string): Promise<Taken[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rm(target, { recursive: true, force: true });
      await mkdir(target, { recursive: true, mode: 0o700 });
      const taken: Taken[] = [];
      for (const segment of await source.segmentsOf(deployment)) {
        const path = await takeSegment(source, segment, target);
        if (path !== undefined) taken.push({ path, bytes: segment.sizeBytes });
      }
      return taken;
    } catch (error) {
      // Removed by age or size, or in a segment of columns now: the next list knows.
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function takeSegment({ engine }: SnapshotSource, segment: Segment, folder: string): Promise<string | undefined> {
  if (segment.endsAt === undefined) {
    if (segment.sizeBytes === 0) return undefined;
    return (await engine.write({ from: 'lines', sources: [segment.path], folder })).path;
  }
  const path = join(folder, basename(segment.path));
  await link(segment.path, path);
  return path;
}
