import type { Clock } from '@berth/kit';
import { type Refusal, upstreamRefusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import { routeOf, type ServedTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';
import type { LeasedInstance } from './leased-instance.ts';

/** The connection to the core, as a pool uses it. */
export interface SlotSource {
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  /** The worker is closing; no slots are parked. */
  readonly isClosing: boolean;
  /** Asks for a slot for the ticket. `isFirst`: the ticket had a slot that it couldn't use, and is served next. */
  ask(ticket: Ticket, deployment: string, isFirst: boolean): void;
  /** Withdraws a request whose client has disconnected. */
  withdraw(ticket: Ticket): void;
  /** Returns slots. The last of them was in use until `usedUntilMs`. */
  give(instance: LeasedInstance<LeasedPool>, count: number, usedUntilMs: number): void;
  /** Reports that the instance refused a connection. */
  connectFailed(instance: LeasedInstance<LeasedPool>): void;
  /** Reports that the pool has parked its first slot, which starts the timer that returns it. */
  onParked(pool: LeasedPool): void;
}

/**
 * A revision's pool in a worker. The core does the counting and grants one slot for each request. This pool parks a slot that came free
 * for a short time, so that the next request takes it without asking the core. While the pool is recalled it parks nothing, which keeps
 * the core's order of waiting requests. With a small concurrency it never parks, because a parked slot could be the only one.
 */
export class LeasedPool implements SlotPool {
  /** The core's number for this pool. */
  readonly number: number;
  readonly target: ServedTarget;
  readonly timeouts: TimeoutList;
  readonly source: SlotSource;
  /** The instances of the parked slots, and when each was parked: parallel arrays, oldest slot first. */
  #parked: LeasedInstance<LeasedPool>[] = [];
  #parkedMs: number[] = [];
  readonly #mayPark: boolean;
  #isRecalled = false;

  constructor(source: SlotSource, number: number, target: ServedTarget) {
    this.number = number;
    this.target = target;
    this.timeouts = new TimeoutList(source.clock);
    this.source = source;
    this.#mayPark = source.policy.slotParkMs > 0 && target.concurrency > source.policy.smallConcurrency;
  }

  /** When the oldest slot was parked; infinite when there is none. */
  get oldestParkedMs(): number {
    return this.#parkedMs[0] ?? Number.POSITIVE_INFINITY;
  }

  admit(ticket: Ticket): void {
    if (!this.#take(ticket)) this.source.ask(ticket, routeOf(this.target), false);
  }

  readmit(ticket: Ticket): void {
    if (!this.#take(ticket)) this.source.ask(ticket, routeOf(this.target), true);
  }

  withdraw(ticket: Ticket): void {
    this.source.withdraw(ticket);
  }

  /** Gives the ticket a slot that the core granted. */
  grant(ticket: Ticket, instance: LeasedInstance<LeasedPool>): void {
    instance.isOut = false;
    instance.inUse++;
    ticket.grant(instance, this);
  }

  release(instance: LeasedInstance<LeasedPool>): void {
    instance.inUse--;
    const nowMs = this.source.clock.monotonicMs();
    if (!this.#mayPark || this.#isRecalled || instance.isOut || instance.pool !== this || this.source.isClosing) {
      this.source.give(instance, 1, nowMs);
      return;
    }
    this.#parked.push(instance);
    this.#parkedMs.push(nowMs);
    if (this.#parked.length === 1) this.source.onParked(this);
  }

  onConnectFailed(instance: LeasedInstance<LeasedPool>): void {
    this.source.connectFailed(instance);
    this.putOut(instance);
  }

  refusalOf(kind: UpstreamErrorKind): Refusal {
    return upstreamRefusal(kind, this.target.deployment);
  }

  /** Returns all parked slots and parks none until {@link resume}, because requests wait in the core. */
  recall(): void {
    this.#isRecalled = true;
    this.#giveBack(() => true);
  }

  /** Allows parking again. */
  resume(): void {
    this.#isRecalled = false;
  }

  /** Returns all parked slots. The pool gets no new requests; slots released later are returned when their instance drains. */
  retire(): void {
    this.#giveBack(() => true);
  }

  /** Forgets all parked slots, because the core that counts them does too. Slots released later are parked no more. */
  drop(): void {
    this.#isRecalled = true;
    this.#parked = [];
    this.#parkedMs = [];
  }

  /** Returns the parked slots of an instance, which takes no new requests until the next grant. */
  putOut(instance: LeasedInstance<LeasedPool>): void {
    instance.isOut = true;
    this.#giveBack((parked) => parked === instance);
  }

  /** Returns the slots that were parked at `untilMs` or earlier. */
  giveBackOld(untilMs: number): void {
    this.#giveBack((_instance, sinceMs) => sinceMs <= untilMs);
  }

  #take(ticket: Ticket): boolean {
    const instance = this.#takeParked(ticket.affinityKey);
    if (instance === undefined) return false;
    instance.inUse++;
    ticket.grant(instance, this);
    return true;
  }

  /**
   * Takes a parked slot, with an affinity key only one of that instance. The slot parked last is taken first, so that surplus slots grow
   * old and can be returned.
   */
  #takeParked(affinityKey: string | undefined): LeasedInstance<LeasedPool> | undefined {
    if (affinityKey === undefined) {
      this.#parkedMs.pop();
      return this.#parked.pop();
    }
    const at = this.#parked.findLastIndex((instance) => instance.affinityKey === affinityKey);
    if (at < 0) return undefined;
    this.#parkedMs.splice(at, 1);
    return this.#parked.splice(at, 1)[0];
  }

  /** Returns all parked slots that `isWanted` accepts, those of an instance together, in use until the last of them was parked. */
  #giveBack(isWanted: (instance: LeasedInstance<LeasedPool>, sinceMs: number) => boolean): void {
    if (this.#parked.length === 0) return;
    const taken = new Map<LeasedInstance<LeasedPool>, { count: number; usedUntilMs: number }>();
    const parked: LeasedInstance<LeasedPool>[] = [];
    const parkedMs: number[] = [];
    for (const [index, instance] of this.#parked.entries()) {
      const sinceMs = this.#parkedMs[index] ?? 0;
      if (isWanted(instance, sinceMs)) {
        taken.set(instance, { count: (taken.get(instance)?.count ?? 0) + 1, usedUntilMs: sinceMs });
      } else {
        parked.push(instance);
        parkedMs.push(sinceMs);
      }
    }
    this.#parked = parked;
    this.#parkedMs = parkedMs;
    for (const [instance, { count, usedUntilMs }] of taken) this.source.give(instance, count, usedUntilMs);
  }
}
