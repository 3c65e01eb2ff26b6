import type { RunStatus } from '@berth/agent-store';
import type { RunFrame } from './run-engine.ts';

/** Where a reader's frames come from: a run of this process, or the log of another's. */
export interface RunSource {
  /** Bytes of frames given out so far, where that is known. */
  bytesSoFar(): number;
  /** Whether there are frames that such a reader has not seen, as far as is known. */
  hasAfter(seq: number): boolean;
  /** Frames after `afterSeq` that are there, in order and without gaps, up to about `maxBytes`. */
  read(afterSeq: number, maxBytes: number): Promise<readonly RunFrame[]>;
  /** How the run ended, when it has and there is no frame after `seq`. */
  endAfter(seq: number): Exclude<RunStatus, 'running'> | undefined;
  /** Calls `listener` whenever there may be more; returns how to end that. */
  listen(listener: () => void): () => void;
}
