import type { Clock } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import { upstreamRefusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { ServedTarget } from '../port/served-target.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';
import type { LeasedInstance } from './leased-instance.ts';
import type { Parking } from './park-timer.ts';
import { ParkedSlots } from './parked-slots.ts';

/** What a pool needs of the way to the core. */
export interface SlotSource {
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  /** Nothing is kept any more. */
  readonly isClosing: boolean;
  /** Wants a slot for the ticket; `isFirst` when it had one that could not be used. */
  ask(ticket: Ticket, deployment: string, isFirst: boolean): void;
  withdraw(ticket: Ticket): void;
  /** Gives slots back, the last of which was used until then. */
  give(instance: LeasedInstance, count: number, usedUntilMs: number): void;
  connectFailed(instance: LeasedInstance): void;
  /** The pool keeps slots: it must not for ever. */
  onParked(pool: LeasedPool): void;
}

/**
 * A revision in a worker. It counts nothing: the core grants slots, one for a request, and this parks what came free for a short time,
 * to give it to the next request without asking. While it is recalled it keeps nothing, so that the core's order of waiting
 * requests holds; and for few slots to an instance it never does, for one that is kept could be the only one.
 */
export class LeasedPool implements SlotPool, Parking {
  /** The core's name for it. */
  readonly number: number;
  readonly target: ServedTarget;
  readonly timeouts: TimeoutList;
  readonly #source: SlotSource;
  readonly #parked = new ParkedSlots<LeasedInstance>();
  readonly #mayPark: boolean;
  #isRecalled = false;

  constructor(source: SlotSource, number: number, target: ServedTarget) {
    this.number = number;
    this.target = target;
    this.timeouts = new TimeoutList(source.clock);
    this.#source = source;
    this.#mayPark = source.policy.slotParkMs > 0 && target.concurrency > source.policy.smallConcurrency;
  }

  get oldestParkedMs(): number {
    return this.#parked.oldestMs;
  }

  admit(ticket: Ticket): void {
    if (!this.#take(ticket)) this.#source.ask(ticket, this.target.deployment, false);
  }

  readmit(ticket: Ticket): void {
    if (!this.#take(ticket)) this.#source.ask(ticket, this.target.deployment, true);
  }

  withdraw(ticket: Ticket): void {
    this.#source.withdraw(ticket);
  }

  /** The core granted the ticket a slot. */
  grant(ticket: Ticket, instance: LeasedInstance): void {
    instance.isOut = false;
    instance.inUse++;
    ticket.grant(instance, this);
  }

  release(instance: LeasedInstance): void {
    instance.inUse--;
    const nowMs = this.#source.clock.monotonicMs();
    if (!this.#mayPark || this.#isRecalled || instance.isOut || this.#source.isClosing) {
      this.#source.give(instance, 1, nowMs);
      return;
    }
    this.#parked.park(instance, nowMs);
    if (this.#parked.size === 1) this.#source.onParked(this);
  }

  onConnectFailed(instance: LeasedInstance): void {
    this.#source.connectFailed(instance);
    this.putOut(instance);
  }

  refusalOf(kind: UpstreamErrorKind): Refusal {
    return upstreamRefusal(kind, this.target.deployment);
  }

  /** Others wait for slots: keep none. */
  recall(): void {
    this.#isRecalled = true;
    this.#giveBack(() => true);
  }

  resume(): void {
    this.#isRecalled = false;
  }

  /** Nobody sends anything new here: what is kept is of no use. What is released later goes back when its instance drains. */
  retire(): void {
    this.#giveBack(() => true);
  }

  /** The instance takes nothing more. */
  putOut(instance: LeasedInstance): void {
    instance.isOut = true;
    this.#giveBack((parked) => parked === instance);
  }

  /** Gives back what was parked by then. */
  giveBackOld(untilMs: number): void {
    this.#giveBack((_instance, sinceMs) => sinceMs <= untilMs);
  }

  #take(ticket: Ticket): boolean {
    const instance = this.#parked.take(ticket.affinityKey);
    if (instance === undefined) return false;
    instance.inUse++;
    ticket.grant(instance, this);
    return true;
  }

  #giveBack(isWanted: (instance: LeasedInstance, sinceMs: number) => boolean): void {
    if (this.#parked.size === 0) return;
    this.#parked.drain(isWanted, (instance, count, usedUntilMs) => this.#source.give(instance, count, usedUntilMs));
  }
}
