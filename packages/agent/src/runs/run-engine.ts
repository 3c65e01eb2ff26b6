import type { NewMessage, OwnerKey, RunStatus } from '@berth/agent-store';
import type { Frame, Part } from '@berth/contract/agent';

/** A position in a run's frames; `<run>:<seq>` on the wire. */
export interface FrameCursor {
  readonly runId: string;
  /** The last frame that was seen; 0 for none. */
  readonly seq: number;
}

/** A numbered frame, serialized. */
export interface RunFrame {
  /** From 1, without gaps. */
  readonly seq: number;
  /** The frame as JSON text, on one line. */
  readonly json: string;
}

/** What a producer receives. */
export interface ProducerContext {
  readonly runId: string;
  /** Aborts on stop, when the time budget is used up, at shutdown, and, unless detached, when the last reader leaves. */
  readonly signal: AbortSignal;
  /** Adds to the cost of the turn, in US dollars. */
  addCost(costUsd: number): void;
  /** Stores a message before the one made of the turn's frames; only the model sees it. */
  addMessage(message: NewMessage): void;
}

/** A run to start. */
export interface StartRun {
  readonly owner: OwnerKey;
  readonly chatId: string;
  /** Made durable before `produce` is called; undefined when the chat is not stored. */
  readonly message?: { readonly message: NewMessage; readonly title: string };
  /** The run outlives its readers. */
  readonly isDetached: boolean;
  /**
   * Yields the frames. It must end soon after its signal aborts, and yield to the event loop in between. An error becomes a
   * callout with a reference, and the run `failed`.
   */
  produce(context: ProducerContext): AsyncIterable<Frame>;
}

/** A run that has ended. */
export interface EndedRun {
  readonly runId: string;
  readonly chatId: string;
  readonly status: Exclude<RunStatus, 'running'>;
  /** The parts that its frames add up to. */
  readonly parts: readonly Part[];
}

/** How a reader ended: with the run's status, `too_slow` (the run goes on), or because it `left`. */
export type ReaderEnd = Exclude<RunStatus, 'running'> | 'too_slow' | 'left';

/** Reads a run's frames once, in batches. It waits for its caller, so nothing piles up. */
export interface RunReader extends AsyncIterable<readonly RunFrame[]> {
  readonly runId: string;
  /** Resolves when all frames were read and the turn's messages are stored, or the reader left. Never rejects. */
  readonly ended: Promise<ReaderEnd>;
  /** Leaves. A run that is not detached is canceled when its last reader leaves. A second call does nothing. */
  close(): void;
}

/** Runs, logs and follows the turns of an agent, with one live run per chat over all instances. */
export interface RunEngine {
  /**
   * Starts a run and returns its first reader.
   * @throws `conflict` with the body of docs/contract/agent-api.md §2 while the chat has a live run; `unavailable` after `close`.
   */
  start(run: StartRun): Promise<RunReader>;
  /**
   * Returns a reader of the chat's last run, on whichever instance it runs. Reading starts after `after`, or at the first frame
   * when `after` names another run. Undefined when the chat has no run whose frames are still kept.
   */
  follow(owner: OwnerKey, chatId: string, after?: FrameCursor): Promise<RunReader | undefined>;
  /** Stops the chat's live run, on whichever instance it runs; false when there is none. */
  stop(owner: OwnerKey, chatId: string): Promise<boolean>;
  /**
   * Settles the chat's run if its producer is gone, so that what it said is among the messages. For readers of a chat whose run
   * reads as interrupted but is recorded as running; otherwise the sweep settles it within seconds.
   */
  reconcile(owner: OwnerKey, chatId: string): Promise<void>;
  /** Accepts no new runs, lets live runs finish for `drainMs`, then interrupts them and stores what they produced. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
