import { dirname, join } from 'node:path';
import { forEachConcurrently } from '@berth/kit';
import { isMissing } from '../lines/log-files.ts';
import type { LogSnapshot } from '../ports/log-store.ts';
import type { HeldSegments } from '../ports/segment.ts';
import type { LineCopies } from '../segments/line-copies.ts';
import type { HeldFiles } from '../segments/segment-cache.ts';
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
  using holds = new DisposableStack();
  const taken: TakenFiles[] = [];
  await forEachConcurrently(source.deployments, { concurrency: AT_ONCE }, async (deployment) => {
    taken.push(holds.use(await takeDeployment(source, deployment)));
  });
  // Sorted, so that the same files make the same SQL.
  const files = taken.flatMap((one) => one.paths).sort();
  // The folder of the copies is always listed, so that an engine restricted to these folders can be used again.
  const copiesFolder = join(source.copies.folder, source.account);
  const held = holds.move();
  return {
    accountFolder: source.account,
    files,
    folders: [...new Set([copiesFolder, ...files.map((file) => dirname(dirname(file)))])].sort(),
    bytes: taken.reduce((sum, one) => sum + one.bytes, 0),
    release: () => held.dispose(),
  };
}

interface TakenFiles extends HeldFiles {
  readonly bytes: number;
}

async function takeDeployment(source: SnapshotSource, deployment: string): Promise<TakenFiles> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryDeployment(source, deployment);
    } catch (error) {
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function tryDeployment(source: SnapshotSource, deployment: string): Promise<TakenFiles> {
  const { account, storage, copies } = source;
  const place = { account, deployment };
  using holds = new DisposableStack();
  const { segments } = holds.use(await source.hold(deployment));
  const own = segments.filter((segment) => segment.kind === 'parquet');
  const parquet = holds.use(await storage.hold(place, own));
  const lineSegments = segments.filter((segment) => segment.kind === 'lines');
  const lines = holds.use(await copies.hold(place, lineSegments));
  const held = holds.move();
  return {
    paths: [...parquet.paths, ...lines.paths],
    bytes: segments.reduce((sum, segment) => sum + segment.sizeBytes, 0),
    [Symbol.dispose]: () => held.dispose(),
  };
}
