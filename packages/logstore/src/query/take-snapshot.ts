import { dirname, join } from 'node:path';
import { forEachConcurrently } from '@berth/kit';
import { isMissing } from '../lines/log-files.ts';
import type { LogSnapshot } from '../ports/log-store.ts';
import type { HeldSegments } from '../ports/segment.ts';
import type { LineCopies } from '../segments/line-copies.ts';
import type { SegmentStorage } from '../segments/segment-storage.ts';

export interface SnapshotSource {
  readonly account: string;
  readonly deployments: readonly string[];
  readonly storage: SegmentStorage;
  readonly copies: LineCopies;
  /** Returns the segments of a deployment, with everything appended before the call. */
  hold(deployment: string): Promise<HeldSegments>;
}

/** Deployments read at once. */
const AT_ONCE = 4;

/** Each retry means that lines became Parquet while they were copied; five in a row don't happen in practice. */
const ATTEMPTS = 5;

/**
 * Holds the Parquet segments, which never change, and copies of line segments, so that readers need no lock on the log.
 * @throws the system's error, the store's, or the engine's.
 */
export async function takeSnapshot(source: SnapshotSource): Promise<LogSnapshot> {
  const taken: Taken[] = [];
  const release = () => {
    for (const one of taken) one.release();
  };
  try {
    await forEachConcurrently(source.deployments, { concurrency: AT_ONCE }, async (deployment) => {
      taken.push(await takeDeployment(source, deployment));
    });
  } catch (error) {
    release();
    throw error;
  }
  // Sorted, so that the same files make the same SQL.
  const files = taken.flatMap((one) => one.paths).sort();
  return {
    accountFolder: source.account,
    files,
    // The folder of the copies is always listed, so that an engine restricted to these folders can be used again.
    folders: [
      ...new Set([join(source.copies.folder, source.account), ...files.map((file) => dirname(dirname(file)))]),
    ].sort(),
    bytes: taken.reduce((sum, one) => sum + one.bytes, 0),
    release,
  };
}

interface Taken {
  readonly paths: readonly string[];
  readonly bytes: number;
  release(): void;
}

async function takeDeployment(source: SnapshotSource, deployment: string): Promise<Taken> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryDeployment(source, deployment);
    } catch (error) {
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function tryDeployment(source: SnapshotSource, deployment: string): Promise<Taken> {
  const { account, storage, copies } = source;
  const place = { account, deployment };
  const { segments, release } = await source.hold(deployment);
  const releases = [release];
  const releaseAll = () => {
    for (const one of releases) one();
  };
  try {
    const parquet = await storage.hold(
      place,
      segments.filter((segment) => segment.kind === 'parquet'),
    );
    releases.push(parquet.release);
    const lines = await copies.hold(
      place,
      segments.filter((segment) => segment.kind === 'lines'),
    );
    releases.push(lines.release);
    return {
      paths: [...parquet.paths, ...lines.paths],
      bytes: segments.reduce((sum, segment) => sum + segment.sizeBytes, 0),
      release: releaseAll,
    };
  } catch (error) {
    releaseAll();
    throw error;
  }
}
