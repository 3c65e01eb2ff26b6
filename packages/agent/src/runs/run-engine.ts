import type { NewMessage, OwnerKey, RunStatus } from '@berth/agent-store';
import type { Frame, Part } from '@berth/contract/agent';

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
  /** Aborts at stop, at the end of the budget, at shutdown, and, unless detached, when its last reader went away. */
  readonly signal: AbortSignal;
  /** Adds to the cost of the turn, in US dollars. */
  addCost(costUsd: number): void;
  /** Keeps a message of the turn before the one that its frames become: what only the model is told. */
  addMessage(message: NewMessage): void;
}

/** A turn to run. */
export interface StartRun {
  readonly owner: OwnerKey;
  readonly chatId: string;
  /** What is made durable before `produce` is called; undefined when nothing of the chat is stored. */
  readonly message?: { readonly message: NewMessage; readonly title: string };
  /** The run outlives its readers. */
  readonly isDetached: boolean;
  /**
   * Each frame in turn; it ends soon after its signal, and leaves the event loop to others in between. What it throws
   * becomes a callout with a reference, and the run `failed`.
   */
  produce(context: ProducerContext): AsyncIterable<Frame>;
}

/** A run that is over. */
export interface EndedRun {
  readonly runId: string;
  readonly chatId: string;
  readonly status: Exclude<RunStatus, 'running'>;
  /** What its frames add up to. */
  readonly parts: readonly Part[];
}

/** How a reading ended: with the run; `too_slow` for this reader (the run goes on); or its reader `left`. */
export type ReaderEnd = Exclude<RunStatus, 'running'> | 'too_slow' | 'left';

/** Reads a run's frames, once, in batches of what is there. Waits for its caller: nothing piles up when it is not asked. */
export interface RunReader extends AsyncIterable<readonly RunFrame[]> {
  readonly runId: string;
  /** Resolves when all frames have been read and the turn's messages are stored, or the reader left. Never rejects. */
  readonly ended: Promise<ReaderEnd>;
  /** Leaves; twice does nothing more. A run that is not detached is cancelled when its last reader leaves. */
  close(): void;
}

/** Produces, logs and follows the turns of an agent. One live run a chat, on whichever instance. */
export interface RunEngine {
  /**
   * Begins a run; its reader is the first one.
   * @throws `conflict` with the body of docs/contract/agent-api.md §2 while the chat has a live run; `unavailable` after `close`.
   */
  start(run: StartRun): Promise<RunReader>;
  /**
   * Reads the chat's last run from `after` on (of another run than the last: from its beginning), following it to its end
   * wherever it is produced. Undefined when the chat has no run whose frames are still there.
   */
  follow(owner: OwnerKey, chatId: string, after?: FrameCursor): Promise<RunReader | undefined>;
  /** Stops the live run of the chat, wherever it is produced; false when there is none. */
  stop(owner: OwnerKey, chatId: string): Promise<boolean>;
  /**
   * Ends the chat's run when its producer is gone, so that what it said by then is among the messages. For readers of a
   * chat whose run reads interrupted and is recorded as running; otherwise it is done within seconds anyway.
   */
  reconcile(owner: OwnerKey, chatId: string): Promise<void>;
  /** Takes no new runs, lets those that run end for `drainMs`, then interrupts them, and stores what there is. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
