import { createFieldTally, type FieldSurvey, type FieldTally } from '../entry/create-field-tally.ts';
import { timestampMs } from '../entry/timestamp.ts';
import { scanBackward } from '../lines/line-scan.ts';
import { decodeLine, toStoredEntry } from '../lines/record-line.ts';
import type { SpanOptions } from '../ports/log-store.ts';
import type { LineSegment, ParquetSegment } from '../ports/segment.ts';
import { type ReadSource, withParquetFiles } from './read-source.ts';
import { mayHold, segmentsWithin } from './segments-within.ts';

export interface SurveyPlan extends ReadSource {
  readonly span: Pick<SpanOptions, 'fromMs' | 'untilMs'>;
}

/** Maximum entries read: a survey runs while a person types. */
const ENTRIES_MOST = 12_000;
/** Number of segments sampled, evenly over the span, when there are more. */
const SEGMENTS_MOST = 16;
/** Maximum number of segments that are all read when they hold few entries. */
const SMALL_SEGMENTS_MOST = 100;

/** Tallies the fields of all entries of a span when they are few, else of a sample. @throws as `readNewest`. */
export async function surveyEntries(plan: SurveyPlan): Promise<FieldSurvey> {
  const within = segmentsWithin(plan).filter(
    (segment) => segment.kind === 'lines' || mayHold(segment, plan.filter.bounds),
  );
  const rows = within.reduce((sum, segment) => sum + (segment.kind === 'parquet' ? segment.rows : 0), 0);
  const isSmall = rows <= ENTRIES_MOST && within.length <= SMALL_SEGMENTS_MOST;
  const chosen = isSmall ? within : spread(within, SEGMENTS_MOST);
  const share = isSmall ? ENTRIES_MOST : Math.ceil(ENTRIES_MOST / Math.max(chosen.length, 1));
  const tally = createFieldTally();
  let isSampled = chosen.length < within.length;
  const parquet = chosen.filter((segment) => segment.kind === 'parquet');
  if (parquet.length > 0) {
    await surveyParquet(plan, parquet, share, tally);
    isSampled ||= parquet.some(({ rows }) => rows > share);
  }
  for (const segment of chosen) {
    plan.signal?.throwIfAborted();
    if (segment.kind === 'lines' && (await surveyLines(plan, segment, share, tally))) isSampled = true;
  }
  return tally.result(isSampled);
}

/** Returns at most `most` items, spread evenly, including the first and the last. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from(
    { length: most },
    (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))] as Item,
  );
}

function surveyParquet(
  plan: SurveyPlan,
  segments: readonly ParquetSegment[],
  entriesPerFile: number,
  tally: FieldTally,
): Promise<void> {
  const { names, filter, span, signal } = plan;
  return withParquetFiles(plan, segments, async (engine, files) => {
    const request = { files, names, span, entriesPerFile, where: filter.where, tokens: filter.tokens };
    tally.merge(await engine.survey(request, signal));
  });
}

/** Tallies the newest entries of a line segment. Returns true when there are more. */
async function surveyLines(plan: SurveyPlan, segment: LineSegment, most: number, tally: FieldTally): Promise<boolean> {
  const { filter, names, span, signal } = plan;
  let left = most;
  await using file = await plan.openLines(segment);
  await scanBackward(file, segment.sizeBytes, (line) => {
    signal?.throwIfAborted();
    const fields = filter.mayFit(line) ? decodeLine(line) : undefined;
    if (!fields) return true;
    const timeMs = timestampMs(fields.timestamp);
    if (timeMs < span.fromMs) return false;
    if (timeMs >= span.untilMs || !filter.fits(toStoredEntry(fields, names.scopeTag))) return true;
    if (left-- <= 0) return false;
    tally.add(fields);
    return true;
  });
  return left < 0;
}
