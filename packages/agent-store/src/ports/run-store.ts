import type { OwnerKey } from './owner-key.ts';
import type { NewMessage } from './stored-message.ts';

export const RUN_STATUSES = ['running', 'done', 'stopped', 'interrupted', 'failed'] as const;

/** Source: docs/contract/agent-api.md §2, "Runs". */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The record of a turn. */
export interface StoredRun {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly status: RunStatus;
  /** The process that produces it. */
  readonly instance: string;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  readonly isStopRequested: boolean;
  /** Whether its frames are there still: while it runs, and for some time after. */
  readonly hasFrames: boolean;
}

/** Frames of a run as they were logged together. */
export interface FrameBatch {
  /** Of the first; the others follow without gaps. From 1. */
  readonly firstSeq: number;
  /** Each frame as JSON text. */
  readonly frames: readonly string[];
}

/** A run that begins, with what it makes durable before a model is called. */
export interface BeginRun {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly instance: string;
  readonly nowMs: number;
  /** A run whose heartbeat is older than this does not stand in the way. */
  readonly staleBeforeMs: number;
  /** The person's message and the title of a new chat; undefined when nothing of the chat is stored. */
  readonly message?: { readonly message: NewMessage; readonly title: string };
}

/** How a run ends. */
export interface RunSettlement {
  readonly status: Exclude<RunStatus, 'running'>;
  readonly messages: readonly NewMessage[];
  readonly costMicroUsd: number;
  /** Those that were not logged yet. */
  readonly frames?: FrameBatch;
  readonly nowMs: number;
  readonly keepFramesUntilMs: number;
  /** Only when its last heartbeat is older. */
  readonly staleBeforeMs?: number;
}

/** Runs, their frames, and wishes to stop them. */
export interface RunStore {
  /**
   * In one transaction: finds that the chat has no live run, records this one, makes the chat if it is new and adds the
   * message. A stale run of the chat must be settled first: then `stale` has it and nothing was done.
   * @throws `conflict` for a chat that is in the trash.
   */
  begin(
    run: BeginRun,
  ): Promise<{ readonly result: 'begun' } | { readonly result: 'busy' | 'stale'; readonly run: StoredRun }>;
  find(owner: OwnerKey, runId: string): Promise<StoredRun | undefined>;
  /** The newest run of the chat, live or not. */
  findLast(owner: OwnerKey, chatId: string): Promise<StoredRun | undefined>;
  /** Adds frames of several runs, all or none. Frames of a run that is over are dropped. */
  append(batches: readonly (FrameBatch & { readonly runId: string })[]): Promise<void>;
  /** Batches that have a frame after `afterSeq`, oldest first, at most `limit` of them. */
  frames(owner: OwnerKey, runId: string, afterSeq: number, limit: number): Promise<readonly FrameBatch[]>;
  /** Says that these runs live. Returns those that are not running any more: another instance took this one for dead. */
  heartbeat(runIds: readonly string[], nowMs: number): Promise<readonly string[]>;
  /** Wants this run stopped; false when it is over. Says nothing of whether it has. */
  requestStop(owner: OwnerKey, runId: string): Promise<boolean>;
  /** The runs of the instance that somebody wants stopped. Cheap: asked often. */
  stopRequests(instance: string): Promise<readonly string[]>;
  /**
   * Ends a run in one transaction: its status, its messages into the chat (when that is still there), its cost. Its frames
   * are kept until `keepFramesUntilMs` for those who read them, see {@link purgeFrames}.
   * @returns false, and nothing was done, when it was not running any more, or lives after all: another did it.
   */
  settle(runId: string, end: RunSettlement): Promise<boolean>;
  /** Runs that are recorded as running but have not been heard of since `beforeMs`. */
  listStale(beforeMs: number, limit: number): Promise<readonly StoredRun[]>;
  /** Drops the frames of runs that were to be kept until `nowMs` at most, and records of runs nobody can ask for. */
  purgeFrames(nowMs: number): Promise<void>;
}
