import type { FieldSurvey } from '../entry/create-field-tally.ts';
import { createFieldTally, type FieldTally } from '../entry/create-field-tally.ts';
import { timestampMs } from '../entry/timestamp.ts';
import { scanBackward } from '../lines/line-scan.ts';
import { decodeLine, toStoredEntry } from '../lines/record-line.ts';
import type { SpanOptions } from '../ports/log-store.ts';
import type { ColumnsSegment, LinesSegment } from '../ports/segment.ts';
import { type ReadSource, withFile } from './read-entries.ts';
import { mayHold, segmentsWithin } from './segments-within.ts';

export interface SurveyPlan extends ReadSource {
  readonly span: Pick<SpanOptions, 'fromMs' | 'untilMs'>;
}

/** Entries that are looked at: a survey is made while somebody types. */
const ENTRIES_MOST = 12_000;
/** Segments they are taken from, evenly over the span, where there are more. */
const SEGMENTS_MOST = 16;
/** Segments of so few entries that all can be looked at. */
const SMALL_SEGMENTS_MOST = 100;

/** Tallies all entries of a span where they are few, else as many of each of some segments. @throws as `readNewest`. */
export async function surveyEntries(plan: SurveyPlan): Promise<FieldSurvey> {
  const within = segmentsWithin(plan).filter(
    (segment) => segment.kind === 'lines' || mayHold(segment, plan.filter.bounds),
  );
  const rows = within.reduce((sum, segment) => sum + (segment.kind === 'columns' ? segment.rows : 0), 0);
  const isSmall = rows <= ENTRIES_MOST && within.length <= SMALL_SEGMENTS_MOST;
  const chosen = isSmall ? within : spread(within, SEGMENTS_MOST);
  const share = isSmall ? ENTRIES_MOST : Math.ceil(ENTRIES_MOST / Math.max(chosen.length, 1));
  const tally = createFieldTally();
  let isSampled = chosen.length < within.length;
  const columns = chosen.filter((segment) => segment.kind === 'columns');
  if (columns.length > 0) {
    await surveyColumnsOf(plan, columns, share, tally);
    isSampled ||= columns.some(({ rows }) => rows > share);
  }
  for (const segment of chosen) {
    plan.signal?.throwIfAborted();
    if (segment.kind === 'lines' && (await surveyLines(plan, segment, share, tally))) isSampled = true;
  }
  return tally.result(isSampled);
}

/** At most so many, the first and the last among them. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from(
    { length: most },
    (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))] as Item,
  );
}

async function surveyColumnsOf(
  { columns, place, names, filter, span, signal }: SurveyPlan,
  segments: readonly ColumnsSegment[],
  entriesPerFile: number,
  tally: FieldTally,
): Promise<void> {
  if (!columns) throw new Error('the log has segments of columns, and there is no engine to read them');
  const held = await columns.shelf.hold(place, segments, signal);
  try {
    const { fromMs, untilMs } = span;
    const where = filter.where ? { where: filter.where } : {};
    const request = { files: held.paths, names, span: { fromMs, untilMs }, entriesPerFile, ...where };
    tally.merge((await columns.engine.survey(request, signal)).survey);
  } finally {
    held.release();
  }
}

/** The newest of a segment; true where there are more than wanted. */
async function surveyLines(plan: SurveyPlan, segment: LinesSegment, most: number, tally: FieldTally): Promise<boolean> {
  const { filter, names, span, signal } = plan;
  let left = most;
  await withFile(plan, segment, (file) =>
    scanBackward(file, segment.sizeBytes, (line) => {
      signal?.throwIfAborted();
      const fields = filter.mayFit(line) ? decodeLine(line) : undefined;
      if (!fields) return true;
      const timeMs = timestampMs(fields.timestamp);
      if (timeMs < span.fromMs) return false;
      if (timeMs >= span.untilMs || !filter.fits(toStoredEntry(fields, names.scopeTag))) return true;
      if (left-- <= 0) return false;
      tally.add(fields);
      return true;
    }),
  );
  return left < 0;
}
