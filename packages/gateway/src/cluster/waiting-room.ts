import type { Clock } from '@berth/kit';
import { queuePlaces } from '../admission/queue-bounds.ts';
import { queueFullRefusal, type Refusal, timeoutRefusal, upstreamRefusal } from '../admission/refusal.ts';
import { RequestQueue } from '../admission/request-queue.ts';
import type { Route, SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import type { ServedTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';

/** Instances that a queue is bounded by while none is known. */
const PRESUMED_INSTANCES = 10;

/** Where requests of a service wait while no gateway counts it: its gateway has ended, or gives it to another. */
export class WaitingRoom implements SlotPool {
  readonly target: ServedTarget;
  readonly timeouts: TimeoutList;
  readonly #clock: Clock;
  readonly #policy: GatewayPolicy;
  readonly #queue: RequestQueue;

  constructor(clock: Clock, policy: GatewayPolicy, target: ServedTarget) {
    this.#clock = clock;
    this.#policy = policy;
    this.target = target;
    this.timeouts = new TimeoutList(clock);
    this.#queue = new RequestQueue({
      clock,
      policy: { ...policy, queueWaitMinMs: Math.max(policy.queueWaitMinMs, policy.takeOverWaitMs) },
      observe: () => ({ meanStartMs: policy.startTimeSeedMs, coldStartAgeMs: 0 }),
      onExpired: (ticket, nowMs) =>
        ticket.refuse(
          nowMs >= ticket.timeoutAtMs
            ? timeoutRefusal(target.deployment, ticket.timeoutAtMs - ticket.arrivedAtMs)
            : noGatewayRefusal(target.deployment),
        ),
    });
  }

  get size(): number {
    return this.#queue.size;
  }

  admit(ticket: Ticket): void {
    const policy = this.#policy;
    const places = queuePlaces(this.target.concurrency, PRESUMED_INSTANCES, policy);
    if (this.#queue.size >= places || this.#queue.bytes + ticket.queuedBytes > policy.queueBytesMax) {
      ticket.refuse(queueFullRefusal(this.target.deployment, policy.startTimeSeedMs));
    } else this.#queue.add(ticket, this.#clock.monotonicMs(), false);
  }

  readmit(ticket: Ticket): void {
    this.#queue.add(ticket, this.#clock.monotonicMs(), true);
  }

  withdraw(ticket: Ticket): void {
    this.#queue.remove(ticket);
  }

  /** Never called: nothing is granted here. */
  release(): void {}

  /** Never called: nothing is granted here. */
  onConnectFailed(): void {}

  refusalOf(kind: UpstreamErrorKind): Refusal {
    return upstreamRefusal(kind, this.target.deployment);
  }

  /** Sends all that wait to a pool, in order. @param route the pool's, if that isn't the same */
  moveTo(pool: SlotPool, route?: Route): void {
    for (let ticket = this.#queue.shift(); ticket !== null; ticket = this.#queue.shift()) {
      if (route) ticket.reroute(route);
      pool.admit(ticket);
    }
  }

  /** Refuses all that wait. */
  refuse(refusal: Refusal): void {
    for (let ticket = this.#queue.shift(); ticket !== null; ticket = this.#queue.shift()) ticket.refuse(refusal);
  }
}

function noGatewayRefusal(deployment: string): Refusal {
  return {
    status: 503,
    reason: 'no_gateway',
    message: `No gateway took over "${deployment}" in time. Try again shortly.`,
    retryAfterSeconds: 2,
  };
}
