import type { LogPlace, SegmentSummary } from '../ports/segment.ts';
import type { LinesToFile } from '../segments/lines-to-file.ts';
import type { ParquetFiles } from '../segments/open-parquet.ts';
import type { CompactionJob } from './plan-compaction.ts';

/** A Parquet file on this machine that no store has yet. */
export interface WrittenSegment {
  readonly file: string;
  readonly summary: SegmentSummary;
}

/** Writes the Parquet file of a job. @throws Error when that failed, or the sources hold no entry. */
export async function writeSegment(
  { engine, storage }: ParquetFiles,
  place: LogPlace,
  job: CompactionJob,
  toFile: LinesToFile,
): Promise<WrittenSegment> {
  const target = await storage.scratch();
  const summary = await write();
  if (!summary) throw new Error('a full log segment holds no entry');
  return { file: target, summary };

  async function write(): Promise<SegmentSummary | undefined> {
    if (job.from === 'lines') {
      await using lines = await toFile(place, job.sources[0], target);
      return await engine.write({ from: 'lines', sources: [lines.path], target });
    }
    using held = await storage.hold(place, job.sources);
    return await engine.write({ from: 'parquet', sources: held.paths, target });
  }
}
