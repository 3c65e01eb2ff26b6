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
  readonly message?: { readonly message: NewMessage; readonly title: string };
}

/** The end of a run. */
export interface RunSettlement {
  readonly status: Exclude<RunStatus, 'running'>;
  readonly messages: readonly NewMessage[];
  readonly costMicroUsd: number;
  /** Frames that were not logged yet. */
  readonly frames?: FrameBatch;
  readonly nowMs: number;
  readonly keepFramesUntilMs: number;
  /** Settles the run only if its last heartbeat is older. */
  readonly staleBeforeMs?: number;
}

/** Runs, their frames, and requests to stop them. */
export interface RunStore {
  /**
   * Starts a run in one transaction: checks that the chat has no live run, records the run, creates the chat if it is
   * new and adds the message. A stale run of the chat has to be settled first: it is returned as `stale`, and nothing
   * is stored.
   * @throws `conflict` for a chat in the trash.
   */
  begin(
    run: BeginRun,
  ): Promise<{ readonly result: 'begun' } | { readonly result: 'busy' | 'stale'; readonly run: StoredRun }>;
  find(owner: OwnerKey, runId: string): Promise<StoredRun | undefined>;
  /** Returns the newest run of the chat, live or not. */
  findLast(owner: OwnerKey, chatId: string): Promise<StoredRun | undefined>;
  /** Adds frames of several runs, all or none. Frames of an ended run are dropped. */
  append(batches: readonly (FrameBatch & { readonly runId: string })[]): Promise<void>;
  /** Returns up to `limit` batches with a frame after `afterSeq`, oldest first. */
  frames(owner: OwnerKey, runId: string, afterSeq: number, limit: number): Promise<readonly FrameBatch[]>;
  /**
   * Records a heartbeat of these runs. Returns those that are no longer running because another instance settled them
   * as stale.
   */
  heartbeat(runIds: readonly string[], nowMs: number): Promise<readonly string[]>;
  /** Requests a run to stop; false when it has ended. Doesn't wait until it stops. */
  requestStop(owner: OwnerKey, runId: string): Promise<boolean>;
  /** Returns the instance's runs with a stop request. Cheap, since it is polled. */
  stopRequests(instance: string): Promise<readonly string[]>;
  /**
   * Ends a run in one transaction: stores its status, its messages (if the chat still exists) and its cost. Its frames
   * are kept until `keepFramesUntilMs` for their readers, see {@link purgeFrames}.
   * @returns false, with nothing stored, when the run had already ended or isn't stale.
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
