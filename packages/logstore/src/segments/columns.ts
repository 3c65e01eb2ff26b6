import type { LogEngine } from '../engine/create-log-engine.ts';
import type { SegmentCatalogue } from './segment-catalogue.ts';
import type { SegmentShelf } from './segment-shelf.ts';

/** What segments of columns are made with, kept in and found by. */
export interface Columns {
  readonly engine: Pick<LogEngine, 'write' | 'inspect' | 'select' | 'count' | 'survey'>;
  readonly catalogue: SegmentCatalogue;
  readonly shelf: SegmentShelf;
}
