import type { Heartbeats, NewMessage, OwnerKey, RunStatus, RunStore } from '@berth/agent-store';
import type { Frame, Part } from '@berth/contract/agent';
import type { Clock, IdSource, Logger } from '@berth/kit';

/** A position in a run's frames; `<run>:<seq>` on the wire, and `<run>~<attempt>:<seq>` after the first attempt. */
export interface FrameCursor {
  readonly runId: string;
  /** The attempt that the frame was read from; the current one by default. */
  readonly attempt?: number;
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

/** Takes the next frame of a turn. A producer waits for the promise that it may return. */
export type EmitFrame = (frame: Frame) => Promise<void> | void;

/** Context of a producer. */
export interface ProducerContext {
  readonly runId: string;
  /** Aborts on stop, when the time budget is used up, at shutdown, and, unless detached, when the last reader leaves. */
  readonly signal: AbortSignal;
  /** The turn's message is the first one of its chat, so that there is nothing to read. */
  readonly isFirstMessage: boolean;
  /** The parts that earlier attempts of the run have recorded; undefined for the first one. */
  readonly resumed?: { readonly parts: readonly Part[] };
  readonly emit: EmitFrame;
  /** Resolves when everything that was emitted before is durable. @throws the signal's reason. */
  saved(): Promise<void>;
  /** Adds to the cost of the turn, in US dollars. */
  addCost(costUsd: number): void;
  /** Stores a message before the one made of the turn's frames; only the model sees it. */
  addMessage(message: NewMessage): void;
}

/** A run to start. */
export interface StartRun {
  readonly owner: OwnerKey;
  readonly chatId: string;
  /** Stored before `produce` is called, and durable before a frame is handed out; undefined when the chat is not stored. */
  readonly message?: NonNullable<Parameters<RunStore['begin']>[0]['message']>;
  /** See `BeginRun`. */
  readonly isContinuation?: boolean;
  /** The run outlives its readers. */
  readonly isDetached: boolean;
  /**
   * State with which another process continues the run when this one ends before the turn does, as JSON text for
   * `RunEngineOptions.resume`. Without it such a run is interrupted.
   */
  readonly request?: string;
  /**
   * Emits the frames, and resolves after the last one. It must end soon after its signal aborts, and yield to the event loop in
   * between. An error becomes a callout with a reference, and the run `failed`.
   */
  produce(context: ProducerContext): Promise<void>;
  /** Called once, when the end of the run is stored, or can't be. */
  onSettled?(run: SettledRun): void;
}

/** A run that has ended. */
export interface EndedRun {
  readonly runId: string;
  readonly chatId: string;
  readonly status: Exclude<RunStatus, 'running'>;
  /** The parts that its frames add up to. */
  readonly parts: readonly Part[];
}

/** A run of this process that has ended, with what it cost. */
export interface SettledRun extends EndedRun {
  /** US dollars. */
  readonly costUsd: number;
}

/**
 * How a reader ended: with the run's status, `too_slow` (the run goes on), `moved` (the run goes on elsewhere, or was ended
 * there: follow the chat again), or because it `left`.
 */
export type ReaderEnd = EndedRun['status'] | 'too_slow' | 'moved' | 'left';

/** Reads a run's frames once, in batches. It waits for its caller, so nothing piles up. */
export interface RunReader extends AsyncIterable<readonly RunFrame[]> {
  readonly runId: string;
  /** The attempt of the frames that were read last, for their cursor. */
  readonly attempt: number;
  /** Resolves when all frames were read and the turn's messages are stored, or the reader left. Never rejects. */
  readonly ended: Promise<ReaderEnd>;
  /** Leaves. A run that is not detached is canceled when its last reader leaves. A second call does nothing. */
  close(): void;
}

/** Options of `createRunEngine`. */
export interface RunEngineOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Identifies this process among those that share the store. */
  readonly instance: string;
  /**
   * Starts the heartbeats of this process, apart from the thread that runs the turns, see `createHeartbeatThread`. By default the
   * engine writes them itself, which is enough where no other process reads the store.
   * @param onLost called with runs that another instance has ended or taken over.
   */
  startHeartbeats?(onLost: (runIds: readonly string[]) => void): Heartbeats;
  /** Returns the messages that a run leaves in its chat. Also called for runs that another instance failed to end. */
  finish(run: EndedRun): readonly NewMessage[];
  /**
   * Returns how to continue a run whose process ended; undefined when it can't be continued, which interrupts it. Called with
   * runs that have a `request`. By default no run is continued.
   */
  resume?(run: ResumableRun): Promise<StartRun['produce'] | undefined>;
}

/** A run whose process ended, for the instance that has taken it over. */
export interface ResumableRun {
  readonly runId: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly request: string;
}
