import type { SegmentCatalogue } from '../ports/segment-catalogue.ts';
import type { LogEngine } from '../processes/log-engine/create-log-engine.ts';
import type { SegmentShelf } from './segment-storage.ts';

/** What segments of columns are made with, kept in and found by. */
export interface Columns {
  readonly engine: Pick<LogEngine, 'write' | 'inspect' | 'select' | 'count' | 'survey'>;
  readonly catalogue: SegmentCatalogue;
  readonly shelf: SegmentShelf;
}
