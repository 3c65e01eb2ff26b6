import type { SlotPool } from '../admission/ticket.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RevisionTarget } from '../port/gateway.ts';

/** A pool whose slots are held by other processes. */
export interface HeldPool extends SlotPool {
  readonly target: RevisionTarget;
  /** Requests that wait. */
  readonly queued: number;
  /** Counts slots of a ready instance that are in use already. Returns the instance; undefined when it isn't ready. */
  countHeld(instanceId: string, count: number): ServiceInstance | undefined;
  /** @param usedUntilMs when the slot's request ended. */
  release(instance: ServiceInstance, usedUntilMs?: number): void;
}

/** A route whose requests come from other processes. */
export interface HeldRoute {
  /** Name of the route. */
  readonly deployment: string;
  readonly current: HeldPool | null;
}

/**
 * Notifications to the processes that route requests and hold slots. The slots they hold count as in flight; these calls make them
 * return slots.
 */
export interface SlotHolders {
  /** Reports a changed route. Resolves when no holder sends new requests to the previous pool. Never rejects. */
  onRoute(route: HeldRoute): Promise<void>;
  /** Reports that requests begin to wait in the pool, or that none waits any more. */
  onCrowded(pool: HeldPool): void;
  /** Reports that the instance takes no requests, for now or for good. */
  onNotReady(instance: ServiceInstance): void;
  /** Reports that nothing of the instance is left. */
  onGone(instance: ServiceInstance): void;
  /** Returns how many slots of an adopted instance are in use already. Called once, before it takes requests. */
  onAdopted(instance: ServiceInstance, pool: HeldPool): number;
  /**
   * Reports that another process will count a service: requests in flight go on, and those that wait do so there. Resolves when no holder
   * uses a slot that it doesn't know of. Never rejects.
   */
  onMoved(deployment: string): Promise<void>;
}
