import type { ByteRange } from '../lines/line-scan.ts';
import type { LineSegment, LogPlace } from '../ports/segment.ts';

/** A file of lines, which may be a temporary one, until disposed of. */
export interface LinesFile extends AsyncDisposable {
  readonly path: string;
  /** The requested bytes in the file; all of them when absent. */
  readonly range?: ByteRange;
}

/**
 * Provides bytes of a line segment as a file, for the log engine.
 * @param target path of the file that the engine is to write; a temporary file is placed beside it.
 * @throws the system's `ENOENT` when the lines are gone.
 */
export type LinesToFile = (
  place: LogPlace,
  segment: LineSegment,
  target: string,
  range?: ByteRange,
) => Promise<LinesFile>;

/** {@link LinesToFile} for segments that are files. */
export const fileOfLines: LinesToFile = async (_place, { path }, _target, range) => ({
  path,
  ...(range ? { range } : {}),
  [Symbol.asyncDispose]: async () => {},
});
