import type { Frame } from '@berth/contract/agent';
import type { OwnerKey } from '../define/user.ts';
import type { RunStatus } from '../store/run-store.ts';
import type { NewMessage } from '../store/stored-message.ts';

/** A place in a run's frames, on the wire `<run>:<seq>`. */
export interface FrameCursor {
  readonly runId: string;
  /** Frames up to this one have been seen; 0 for none. */
  readonly seq: number;
}

/** A frame as it is sent. */
export interface RunFrame {
  /** From 1, without gaps. */
  readonly seq: number;
  /** The frame as JSON text, on one line. */
  readonly json: string;
}

/** What a producer is given. */
export interface ProducerContext {
  readonly runId: string;
  /** Aborts at stop, at the end of the budget, at shutdown, and, unless detached, when its reader went away. */
  readonly signal: AbortSignal;
  /** Adds to the cost of the turn, in US dollars. */
  addCost(costUsd: number): void;
  /** Keeps a message of the turn besides the one that its frames become, before it: what only the model is told. */
  addMessage(message: NewMessage): void;
}

/** A turn to run. */
export interface StartRun {
  readonly owner: OwnerKey;
  readonly chatId: string;
  /** What is made durable before `produce` is called; undefined when nothing of the chat is stored. */
  readonly message?: { readonly message: NewMessage; readonly title: string };
  /** The run outlives its reader. */
  readonly isDetached: boolean;
  /** Each frame in turn. What it throws becomes a callout with a reference, and the run `failed`. */
  produce(context: ProducerContext): AsyncIterable<Frame> | Iterable<Frame>;
}

/** How a reading ended: with the run, or because this reader was too slow (the run goes on). */
export type ReaderEnd = Exclude<RunStatus, 'running'> | 'too_slow';

/** Reads a run's frames, in batches of what is there: one at once at first, then as they come. */
export interface RunReader extends AsyncIterable<readonly RunFrame[]> {
  readonly runId: string;
  /** Resolves when the frames have been read, or the reader was cut off or closed. Never rejects. */
  readonly ended: Promise<ReaderEnd>;
  /** Leaves. The run goes on, unless this was the first reader of a run that is not detached. */
  close(): void;
}

/** Produces, logs and follows the turns of an agent. One live run a chat, on whichever instance. */
export interface RunEngine {
  /**
   * Begins a run; its reader is the first one.
   * @throws `conflict` with the body of spec agent-api 2 while the chat has a live run.
   */
  start(run: StartRun): Promise<RunReader>;
  /**
   * Reads the chat's last run from `after` on (of another run than the last: from its beginning), following it to its end
   * wherever it is produced. Undefined when the chat has no run whose frames are still there.
   */
  follow(owner: OwnerKey, chatId: string, after?: FrameCursor): Promise<RunReader | undefined>;
  /** Stops the live run of the chat, wherever it is produced; false when there is none. */
  stop(owner: OwnerKey, chatId: string): Promise<boolean>;
  /** Takes no new runs, lets those that run end for `drainMs`, then interrupts them, and stores what there is. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
