import type { RunStatus } from '@berth/agent-store';
import type { RunFrame } from './run-engine.ts';

/** The source of a reader's frames: a run of this process, or the log. */
export interface RunSource {
  /** Bytes of frames produced so far; 0 where unknown. */
  bytesSoFar(): number;
  /** True when frames after `seq` are known to exist. */
  hasAfter(seq: number): boolean;
  /** Returns the available frames after `afterSeq`, in order and without gaps, up to about `maxBytes`. */
  read(afterSeq: number, maxBytes: number): Promise<readonly RunFrame[]>;
  /** Returns how the run ended, once it has and there is no frame after `seq`. */
  endAfter(seq: number): Exclude<RunStatus, 'running'> | undefined;
  /** Calls `listener` whenever there may be new frames; returns a function that unsubscribes. */
  listen(listener: () => void): () => void;
}
