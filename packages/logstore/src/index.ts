export { type FolderLog, listFolderLogs, readLineBlocks } from './blocks/read-line-blocks.ts';
export { type BlockLogStoreOptions, createBlockLogStore } from './create-block-log-store.ts';
export { createFileLogStore, type FileLogStoreOptions } from './create-file-log-store.ts';
export type { FieldSurvey, SurveyedField } from './entry/create-field-tally.ts';
export { createFieldTally } from './entry/create-field-tally.ts';
export type { HttpRequestRecord, LogInput, LogName, LogScope, StoredEntry } from './entry/log-entry.ts';
export { createTimestampSequence, normalizeTimestamp, type TimestampSequence } from './entry/timestamp.ts';
export { BLOCK_LOG_DEFAULTS, type BlockLogLimits } from './limits/block-log-limits.ts';
export { FILE_LOG_DEFAULTS, type FileLogLimits } from './limits/file-log-limits.ts';
export {
  createOutputParser,
  OUTPUT_LINE_BYTES,
  type OutputParser,
  type OutputParserOptions,
  PART_LABEL,
} from './output/create-output-parser.ts';
export type { OutputStreamName } from './output/parse-line.ts';
export type {
  BlockId,
  BlockTable,
  DueLimits,
  LogChange,
  LogContent,
  LogHead,
  LogLease,
  LogNotices,
  LogObject,
  NewBlock,
} from './ports/block-table.ts';
export type {
  CountOptions,
  FileLogStore,
  LogCounts,
  LogSnapshot,
  LogStore,
  ReadOptions,
  SpanOptions,
  TailOptions,
} from './ports/log-store.ts';
export type { LogBlock, LogPlace, ParquetSegment } from './ports/segment.ts';
export type { CatalogueChange, OldestSegment, SegmentCatalogue } from './ports/segment-catalogue.ts';
export { createLogEngine, type LogEngine, type LogEngineOptions } from './processes/log-engine/create-log-engine.ts';
export { createSqlRunner, type Relations, type SqlRunner } from './processes/sql-host/create-sql-runner.ts';
export { createPredicate } from './query/filter/create-predicate.ts';
export { FilterError } from './query/filter/filter-error.ts';
export type { LogFilter } from './query/filter/log-filter.ts';
export { parseFilter } from './query/filter/parse-filter.ts';
export { logsRelation } from './query/sql/logs-relation.ts';
export type { SetUpStatement } from './query/sql/open-sandbox.ts';
export type { ParquetOptions } from './segments/open-parquet.ts';
