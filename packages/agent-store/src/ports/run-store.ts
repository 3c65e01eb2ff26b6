import { AGENT_LIMITS } from '@berth/contract/agent';
import type { OwnerKey } from './owner-key.ts';
import type { NewMessage } from './stored-message.ts';

/** The statuses of a run. */
export const RUN_STATUSES = ['running', 'done', 'stopped', 'interrupted', 'failed'] as const;

/** The status of a run. Source: docs/contract/agent-api.md §2, "Runs". */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The record of a turn. */
export interface StoredRun {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly status: RunStatus;
  /** Id of the process that executes the run. */
  readonly instance: string;
  /** Counts the processes that have executed the run, from 1. It fences writes: only those of the current attempt take effect. */
  readonly attempt: number;
  /** The last logged frame when each attempt after the first one began: `[120, 300]` for a run in its third attempt. */
  readonly resumedAfter: readonly number[];
  /** State with which another process continues the run, as JSON text; undefined for a run that can't be continued. */
  readonly request?: string;
  /** Cost so far, of all attempts. */
  readonly costMicroUsd: number;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  readonly isStopRequested: boolean;
  /** The run's frames are available: while it runs, and for some time after. */
  readonly hasFrames: boolean;
}

/** Consecutive frames of a run that were logged together. */
export interface FrameBatch {
  /** Sequence number of the first frame, from 1; the others follow without gaps. */
  readonly firstSeq: number;
  /** Each frame as JSON text. */
  readonly frames: readonly string[];
}

/** Additions of an attempt of a run to the record. */
export interface RunProgress extends FrameBatch {
  readonly runId: string;
  readonly attempt: number;
  /** Cost so far, of all attempts; undefined when it hasn't changed. */
  readonly costMicroUsd?: number;
}

/** A run to start, with the message to store before a model is called. */
export interface BeginRun {
  readonly id: string;
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly instance: string;
  readonly nowMs: number;
  /** A live run with an older heartbeat than this is stale. */
  readonly staleBeforeMs: number;
  /** The user's message, and the title of a new chat; undefined when the chat isn't stored. */
  readonly message?: {
    readonly message: NewMessage;
    readonly title: string;
    /** The message of the user that this one is a new version of: it and all after it are kept aside. */
    readonly replaces?: number;
  };
  /** True for a run without a message of its own, which goes on with the last answer of a stored chat. */
  readonly isContinuation?: boolean;
  /** See {@link StoredRun.request}. */
  readonly request?: string;
}

/** A run that has begun. */
export interface BegunRun {
  readonly result: 'begun';
  /** Its message is the first one of the chat. */
  readonly isFirstMessage: boolean;
}

/** A stale run to take over. */
export interface TakeOverRun {
  /** The attempt that is taken for dead. */
  readonly attempt: number;
  readonly instance: string;
  /** Only a run with an older heartbeat is taken over. */
  readonly staleBeforeMs: number;
  readonly nowMs: number;
}

/** The end of a run. */
export interface RunSettlement {
  /** The attempt that ends the run. */
  readonly attempt: number;
  readonly status: Exclude<RunStatus, 'running'>;
  readonly messages: readonly NewMessage[];
  /** Cost of all attempts. */
  readonly costMicroUsd: number;
  /** Frames that were not logged yet. */
  readonly frames?: FrameBatch;
  readonly nowMs: number;
  readonly keepFramesUntilMs: number;
  /** Settles the run in place of its process: only if its heartbeat is older, and `lastSeq` is the last logged frame. */
  readonly stale?: { readonly beforeMs: number; readonly lastSeq: number };
}

/** Runs, their frames, and requests to stop them. */
export interface RunStore {
  /**
   * Starts a run in one transaction: checks that the chat has no live run, records the run, creates the chat if it is
   * new and adds the message. A stale run of the chat has to be settled first: it is returned as `stale`, and nothing
   * is stored.
   * @param onBegun called when it is certain that the run begins, unless that is only when this resolves; it is not durable yet then.
   * @throws `conflict` for a chat in the trash.
   */
  begin(
    run: BeginRun,
    onBegun?: (begun: BegunRun) => void,
  ): Promise<BegunRun | { readonly result: 'busy' | 'stale'; readonly run: StoredRun }>;
  find(owner: OwnerKey, runId: string): Promise<StoredRun | undefined>;
  /** Returns the newest run of the chat, live or not. */
  findLast(owner: OwnerKey, chatId: string): Promise<StoredRun | undefined>;
  /**
   * Adds frames of several runs, all or none. Those of a run that has ended, and of an attempt that was taken over, are
   * dropped; returns the ids of these runs.
   */
  append(progress: readonly RunProgress[]): Promise<readonly string[]>;
  /** Returns up to `limit` batches with a frame after `afterSeq`, oldest first. */
  frames(owner: OwnerKey, runId: string, afterSeq: number, limit: number): Promise<readonly FrameBatch[]>;
  /**
   * Records a heartbeat of these runs. Returns those that the instance no longer executes because another one has taken
   * them over.
   */
  heartbeat(runIds: readonly string[], nowMs: number, instance: string): Promise<readonly string[]>;
  /**
   * Makes the instance the one that executes a stale run, in a new attempt, in one transaction; nothing that the attempt
   * before still writes takes effect. One of several instances gets the run; undefined in the others, and for a run that has
   * ended or isn't stale.
   */
  takeOver(runId: string, options: TakeOverRun): Promise<StoredRun | undefined>;
  /** Makes the run of an attempt stale at once, so that another instance takes it over; false when it is no longer its own. */
  release(runId: string, attempt: number): Promise<boolean>;
  /** Requests a run to stop; false when it has ended. Doesn't wait until it stops. */
  requestStop(owner: OwnerKey, runId: string): Promise<boolean>;
  /** Returns the instance's runs with a stop request. Cheap, since it is polled. */
  stopRequests(instance: string): Promise<readonly string[]>;
  /**
   * Ends a run in one transaction: stores its status, its messages (if the chat still exists) and its cost. Its frames
   * are kept until `keepFramesUntilMs` for their readers, see {@link purgeFrames}.
   * @returns false, with nothing stored, when the run had already ended or was taken over, or `stale` doesn't hold.
   */
  settle(runId: string, end: RunSettlement): Promise<boolean>;
  /** Returns runs with the status `running` and no heartbeat since `beforeMs`. */
  listStale(beforeMs: number, limit: number): Promise<readonly StoredRun[]>;
  /** Deletes frames whose retention ended by `nowMs`, and records of runs that can no longer be read. */
  purgeFrames(nowMs: number): Promise<void>;
}

/**
 * Returns the status of a run to show: a live run without a heartbeat for 30 s is `interrupted`. Source:
 * docs/contract/agent-api.md §2, "Runs".
 */
export function statusOf(run: Pick<StoredRun, 'status' | 'heartbeatAtMs'>, nowMs: number): RunStatus {
  return run.status === 'running' && nowMs - run.heartbeatAtMs > AGENT_LIMITS.staleMs ? 'interrupted' : run.status;
}
