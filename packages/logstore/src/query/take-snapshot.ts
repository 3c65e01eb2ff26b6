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
  /** The segments of a deployment; what was appended before the call is in them. */
  hold(deployment: string): Promise<HeldSegments>;
}

/** Deployments looked at side by side. */
const AT_ONCE = 4;

/** Lines become parquet while they are copied; that often in a row they never do. */
const ATTEMPTS = 5;

/**
 * Holds the Parquet segments, which never change, and copies of those of lines: whoever reads the snapshot needs no lock on
 * the log. @throws the system's error, the store's, or the engine's.
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
  // In an order of their own, so that the same files make the same text of a query.
  const files = taken.flatMap((one) => one.paths).sort();
  return {
    accountFolder: source.account,
    files,
    // That of the copies always, so that an engine that may read them stays of use.
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
