import type { Timer } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import type { Route, SlotPool, Ticket } from '../admission/ticket.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';
import type { WaitAges, WorkerMessage } from './worker-messages.ts';

type AskMessage = Extract<WorkerMessage, { kind: 'ask' }>;

/** The receiver of the outcomes of a worker's tickets. */
export interface TicketOwner {
  onGranted(ticket: RemoteTicket, instance: ServingInstance, pool: SlotPool): void;
  onRefused(ticket: RemoteTicket, refusal: Refusal): void;
}

/** The core's ticket for a request that a worker serves. */
export class RemoteTicket implements Ticket {
  /** The worker's number for the request. */
  readonly number: number;
  /** Name of the route. */
  deployment: string;
  readonly arrivedAtMs: number;
  readonly timeoutAtMs: number;
  readonly queuedBytes: number;
  readonly affinityKey: string | undefined;
  readonly #owner: TicketOwner;
  next: Ticket | null = null;
  previous: Ticket | null = null;
  isQueued = false;
  queuedAtMs: number | null = null;
  queueDeadlineMs = 0;
  queueTimer: Timer | null = null;

  /** @param nowMs the monotonic time of this process. */
  constructor(owner: TicketOwner, asked: AskMessage, nowMs: number) {
    this.#owner = owner;
    this.number = asked.ticket;
    this.deployment = asked.deployment;
    this.arrivedAtMs = nowMs - asked.ageMs;
    this.timeoutAtMs = nowMs + asked.leftMs;
    this.queuedBytes = asked.queuedBytes;
    this.affinityKey = asked.affinityKey;
  }

  grant(instance: ServingInstance, pool: SlotPool): void {
    this.#owner.onGranted(this, instance, pool);
  }

  refuse(refusal: Refusal): void {
    this.#owner.onRefused(this, refusal);
  }

  reroute({ deployment }: Route): void {
    this.deployment = deployment;
  }
}

/** Returns how long ago each step of a start or resume happened; undefined when the request did not wait for one. */
export function waitAges(
  { queuedAtMs }: Pick<RemoteTicket, 'queuedAtMs'>,
  { scheduledAtMs, spawnedAtMs, readyAtMs, resumedAtMs }: ServiceInstance,
  nowMs: number,
): WaitAges | undefined {
  if (queuedAtMs === null || scheduledAtMs === null || spawnedAtMs === null || readyAtMs === null) return undefined;
  if (Math.max(readyAtMs, resumedAtMs ?? readyAtMs) < queuedAtMs) return undefined;
  return {
    queuedMs: nowMs - queuedAtMs,
    scheduledMs: nowMs - scheduledAtMs,
    spawnedMs: nowMs - spawnedAtMs,
    readyMs: nowMs - readyAtMs,
    ...(resumedAtMs === null ? {} : { resumedMs: nowMs - resumedAtMs }),
  };
}
