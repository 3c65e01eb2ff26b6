export { createFileLogStore, type FileLogStoreOptions } from './create-file-log-store.ts';
export { createLogEngine, type LogEngine, type LogEngineOptions } from './engine/create-log-engine.ts';
export { FILE_LOG_DEFAULTS, type FileLogLimits } from './file-log-limits.ts';
export type { FileLogStore } from './file-log-store.ts';
export { createPredicate } from './filter/create-predicate.ts';
export { FilterError } from './filter/filter-error.ts';
export type { LogFilter } from './filter/log-filter.ts';
export { parseFilter } from './filter/parse-filter.ts';
export type {
  CountOptions,
  HttpRequestRecord,
  LogCounts,
  LogInput,
  LogName,
  LogScope,
  LogStore,
  ReadOptions,
  SpanOptions,
  StoredEntry,
  TailOptions,
} from './log-store.ts';
export {
  createOutputParser,
  OUTPUT_LINE_BYTES,
  type OutputParser,
  type OutputParserOptions,
  PART_LABEL,
} from './output/create-output-parser.ts';
export type { OutputStreamName } from './output/parse-line.ts';
export type { ColumnsOptions } from './segments/open-columns.ts';
export type { ColumnsSegment, LogPlace } from './segments/segment.ts';
export type { CatalogueChange, OldestSegment, SegmentCatalogue } from './segments/segment-catalogue.ts';
export { logsRelation } from './snapshot/logs-relation.ts';
export type { LogSnapshot } from './snapshot/take-snapshot.ts';
export { createSqlRunner, type Relations, type SqlRunner } from './sql/host/create-sql-runner.ts';
export type { SetUpStatement } from './sql/open-sandbox.ts';
export { createFieldTally } from './survey/create-field-tally.ts';
export type { FieldSurvey, SurveyedField } from './survey/field-survey.ts';
export { createTimestampSequence, normalizeTimestamp, type TimestampSequence } from './timestamp.ts';
