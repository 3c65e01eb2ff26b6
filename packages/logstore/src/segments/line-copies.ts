import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, createLimiter, type Limiter, type Timer } from '@berth/kit';
import type { LineSegment, LogPlace } from '../ports/segment.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { LinesToFile } from './lines-to-file.ts';
import { createPins } from './pins.ts';
import type { HeldFiles } from './segment-cache.ts';

/**
 * Parquet copies of line segments, for SQL, which reads nothing else. A segment that grew costs only what it grew by.
 */
export interface LineCopies {
  /** Folder of the copies: `<account>/<deployment>/<file>`. */
  readonly folder: string;
  /**
   * Copies the lines of a log's segments to files that stay until disposed of. Removes copies of other segments of that
   * log.
   * @throws the system's `ENOENT` when a segment is gone; the engine's error.
   */
  hold(place: LogPlace, segments: readonly LineSegment[]): Promise<HeldFiles>;
  /** Stops the removal of idle copies. */
  close(): void;
}

/** The copy of a part of a segment. */
interface Piece {
  readonly path: string | undefined;
  readonly start: number;
  readonly end: number;
}

interface CopiedLog {
  readonly queue: Limiter;
  readonly segments: Map<string, Piece[]>;
}

/** Copies unused for this long are removed. */
const IDLE_MS = 300_000;

export interface LineCopiesOptions {
  /** Emptied at the start: its files are left from a killed process. */
  readonly folder: string;
  readonly engine: Pick<LogEngine, 'write'>;
  readonly toFile: LinesToFile;
  readonly clock: Pick<Clock, 'setTimer'>;
}

export function createLineCopies({ folder, engine, toFile, clock }: LineCopiesOptions): LineCopies {
  const logs = new Map<string, CopiedLog>();
  const pins = createPins();
  const emptied = rm(folder, { recursive: true, force: true });
  emptied.catch(() => {});
  let idle: Timer | undefined;

  function remove({ path }: Piece): void {
    if (path !== undefined) pins.whenFree(path, () => void rm(path, { force: true }).catch(() => {}));
  }

  /** Brings a segment's pieces up to its end. New lines are merged with preceding pieces that are not much larger. */
  async function copy(place: LogPlace, segment: LineSegment, pieces: Piece[]): Promise<void> {
    const end = segment.sizeBytes;
    const known = pieces.at(-1)?.end ?? 0;
    if (end <= known) return;
    let start = known;
    let kept = pieces.length;
    for (let last = pieces[kept - 1]; last && last.end - last.start <= 2 * (end - start); last = pieces[kept - 1]) {
      start = last.start;
      kept--;
    }
    const target = join(folder, place.account, place.deployment, `${randomUUID()}.parquet`);
    await using lines = await toFile(place, segment, target, { start, end });
    const request = {
      from: 'lines',
      sources: [lines.path],
      target,
      isCopy: true,
      ...(lines.range ? { range: lines.range } : {}),
    } as const;
    const path = (await engine.write(request)) && target;
    pieces.splice(kept, pieces.length - kept, { path, start, end }).forEach(remove);
  }

  function restLater(): void {
    idle?.cancel();
    idle = clock.setTimer(IDLE_MS, () => {
      for (const { segments } of logs.values()) for (const pieces of segments.values()) pieces.forEach(remove);
      logs.clear();
    });
  }

  return {
    folder,
    async hold(place, segments) {
      restLater();
      const folderOfLog = join(folder, place.account, place.deployment);
      const log: CopiedLog = logs.get(folderOfLog) ?? { queue: createLimiter({ concurrency: 1 }), segments: new Map() };
      logs.set(folderOfLog, log);
      return log.queue.run(async () => {
        const wanted = segments.filter((segment) => segment.sizeBytes > 0);
        const names = new Set(wanted.map((segment) => segment.path));
        for (const [name, pieces] of log.segments) {
          if (names.has(name)) continue;
          log.segments.delete(name);
          pieces.forEach(remove);
        }
        await emptied;
        if (wanted.length > 0) await mkdir(folderOfLog, { recursive: true, mode: 0o700 });
        for (const segment of wanted) {
          const pieces = log.segments.get(segment.path) ?? [];
          log.segments.set(segment.path, pieces);
          await copy(place, segment, pieces);
        }
        const paths = wanted.flatMap((segment) =>
          (log.segments.get(segment.path) ?? []).flatMap((piece) => piece.path ?? []),
        );
        return { paths, [Symbol.dispose]: pins.hold(paths) };
      });
    },
    close() {
      idle?.cancel();
    },
  };
}
