import { open } from 'node:fs/promises';
import { BerthError, describeError, forEachConcurrently, type Logger } from '@berth/kit';
import { isMissing, type LogFiles } from '../lines/log-files.ts';
import { type LogPlace, nameOf, type ParquetSegment, type Segment } from '../ports/segment.ts';
import type { ParquetFiles } from './open-parquet.ts';

/**
 * Segments that can't be read because their files are missing, truncated or changed. Each is reported once and skipped
 * from then on, so that it costs its own entries only. A restart clears the list: the file may have been restored.
 */
export interface DamageLedger {
  readonly count: number;
  /** Returns the segments that are not known to be damaged. */
  usable(place: LogPlace, segments: readonly Segment[]): readonly Segment[];
  /**
   * Checks the files of held segments, and has the engine open each Parquet segment. Returns true when it found new
   * damage.
   */
  examine(place: LogPlace, segments: readonly Segment[]): Promise<boolean>;
}

export interface DamageLedgerOptions {
  readonly files: Pick<LogFiles, 'size'>;
  readonly parquet: ParquetFiles | undefined;
  readonly logger: Logger;
}

/** Files checked at once: as many as Node has threads for files. */
const AT_ONCE = 4;

/** The last bytes of every Parquet file. Source: parquet.apache.org, file format. */
const MAGIC = 'PAR1';

export function createDamageLedger({ files, parquet, logger }: DamageLedgerOptions): DamageLedger {
  const damaged = new Set<string>();
  const idOf = (place: LogPlace, segment: Segment) => [place.account, place.deployment, nameOf(segment)].join('\0');

  /** @param path of a Parquet segment. @throws when the segment can't be read. */
  const look = async (segment: Segment, path: string): Promise<void> => {
    if (segment.kind === 'lines') {
      await files.size(segment.path);
    } else {
      await requireWhole(path, segment.sizeBytes);
      await parquet?.engine.inspect(path);
    }
  };

  /** A segment in a remote store was fetched completely or not at all. */
  const isLocal = ({ store }: ParquetSegment): boolean =>
    parquet?.storage.stores.some((one) => one.isLocal && one.name === store) ?? false;

  const usable: DamageLedger['usable'] = (place, segments) =>
    damaged.size === 0 ? segments : segments.filter((segment) => !damaged.has(idOf(place, segment)));

  return {
    get count() {
      return damaged.size;
    },
    usable,
    async examine(place, segments) {
      let hasFound = false;
      const known = usable(place, segments);
      const parts = known.filter((segment) => segment.kind === 'parquet').filter(isLocal);
      using held = await parquet?.storage.hold(place, parts);
      const paths = new Map<Segment, string>(parts.map((segment, index) => [segment, held?.paths[index] ?? '']));
      const checked = known.filter((segment) => segment.kind === 'lines' || paths.has(segment));
      await forEachConcurrently(checked, { concurrency: AT_ONCE }, async (segment) => {
        try {
          await look(segment, paths.get(segment) ?? '');
        } catch (error) {
          const id = idOf(place, segment);
          if (!isDamage(error) || damaged.has(id)) return;
          hasFound = true;
          damaged.add(id);
          const problem = isMissing(error) ? 'missing' : 'damaged';
          logger.error(
            { ...place, segment: nameOf(segment), error: describeError(error) },
            `a log segment is ${problem}: its entries are omitted until the segment is restored and the server restarted`,
          );
        }
      });
      return hasFound;
    },
  };
}

/** A file that differs from what was written. */
class NotWholeError extends Error {}

/**
 * The engine's message for a file with wrong content. An engine that ended, or a file that can't be opened now, is not
 * damage.
 */
const CONTENT_ERROR = /^Invalid (Input )?Error: /;

function isDamage(error: unknown): boolean {
  if (isMissing(error) || error instanceof NotWholeError) return true;
  return error instanceof Error && !BerthError.is(error) && CONTENT_ERROR.test(error.message);
}

async function requireWhole(path: string, sizeBytes: number): Promise<void> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  if (size !== sizeBytes) throw new NotWholeError(`it has ${size} bytes instead of ${sizeBytes}`);
  const end = Buffer.alloc(MAGIC.length);
  await file.read(end, 0, MAGIC.length, Math.max(0, size - MAGIC.length));
  if (end.toString('latin1') !== MAGIC) throw new NotWholeError('it does not end as a Parquet file does');
}
