import type { Clock, Logger } from '@berth/kit';
import type { Journal } from './journal.ts';
import type { MoveSource } from './open-source.ts';
import type { MoveTarget } from './open-target.ts';

/** Something that was copied. */
export interface MoveProgress {
  readonly kind: 'volume' | 'source' | 'image' | 'log' | 'table';
  readonly name: string;
  /** Bytes since the last call about it. */
  readonly sizeBytes: number;
}

/** One pass of a move over everything but the database. */
export interface MovePass {
  readonly source: MoveSource;
  readonly target: MoveTarget;
  readonly journal: Journal;
  /** A server may be running: files change while they are read. */
  readonly isLive: boolean;
  readonly isDryRun: boolean;
  /** Address of the container engine; that of Docker by default. */
  readonly engineAddress: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  onProgress(progress: MoveProgress): void;
}
