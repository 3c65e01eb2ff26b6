import type { SlotPool } from '../admission/ticket.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RevisionTarget } from '../port/gateway.ts';

/** A pool whose slots are held elsewhere. */
export interface HeldPool extends SlotPool {
  readonly target: RevisionTarget;
  /** Requests that wait. */
  readonly queued: number;
  /** @param usedUntilMs when the slot's request ended. */
  release(instance: ServiceInstance, usedUntilMs?: number): void;
}

/** A service whose requests come from elsewhere. */
export interface HeldRoute {
  readonly deployment: string;
  readonly current: HeldPool | null;
}

/**
 * Those outside of this event loop who route requests and hold slots. What they hold counts as in flight; they are told what makes
 * them give it back.
 */
export interface SlotHolders {
  /** The route has changed; resolves when nobody sends anything new to what had it before. Never rejects. */
  onRoute(route: HeldRoute): Promise<void>;
  /** Requests begin to wait in the pool, or none waits any more. */
  onCrowded(pool: HeldPool): void;
  /** The instance takes nothing more, for now or for good. */
  onNotReady(instance: ServiceInstance): void;
  /** Nothing of it is left. */
  onGone(instance: ServiceInstance): void;
}
