import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RevisionPool } from './revision-pool.ts';
import type { Service } from './service.ts';

/**
 * Those outside of this event loop who route requests and hold slots. What they hold counts as in flight. They are told what makes
 * them give it back.
 */
export interface SlotHolders {
  /** The service's route has changed; resolves when nobody sends anything new to what had it before. Never rejects. */
  onRoute(service: Service): Promise<void>;
  /** Requests begin to wait in the pool, or none waits any more. */
  onCrowded(pool: RevisionPool): void;
  /** The instance takes nothing more, for now or for good. */
  onNotReady(instance: ServiceInstance): void;
  /** Nothing of it is left. */
  onGone(instance: ServiceInstance): void;
}
