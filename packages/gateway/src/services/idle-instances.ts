import { type Logger, runInBackground } from '@berth/kit';
import { ConcurrencyWindow } from '../autoscaler/concurrency-window.ts';
import { decideStops, INITIAL_SCALE_STATE } from '../autoscaler/decide-stops.ts';
import type { InstanceContext } from '../instances/instance-context.ts';
import type { InstanceLifecycle } from '../instances/instance-lifecycle.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RevisionTarget } from '../port/gateway.ts';
import type { Fleet } from './fleet.ts';

/** The requests of a revision now. */
interface Load {
  readonly inFlight: number;
  readonly queued: number;
}

/** The parts of a pool whose idle instances are looked after. */
interface IdleInstancesOptions {
  readonly context: Pick<InstanceContext, 'clock' | 'policy'> & { readonly logger: Logger };
  readonly target: Pick<RevisionTarget, 'concurrency'>;
  readonly fleet: Fleet;
  readonly lifecycle: Pick<InstanceLifecycle, 'drain' | 'suspend' | 'work'>;
  /** Returns undefined when the pool doesn't scale any more. */
  readonly load: () => Load | undefined;
}

/**
 * The idle instances of a revision: decides which are suspended and which are stopped. An instance is asked before either, and neither
 * happens before it said that it has no work.
 */
export class IdleInstances {
  readonly #options: IdleInstancesOptions;
  readonly #window: ConcurrencyWindow;
  #scaleState = INITIAL_SCALE_STATE;

  constructor(options: IdleInstancesOptions) {
    const { clock, policy } = options.context;
    this.#options = options;
    this.#window = new ConcurrencyWindow(policy.stableWindowMs, clock.monotonicMs());
  }

  /** Records the number of requests from `nowMs` on. */
  loadChanged({ inFlight, queued }: Load, nowMs: number): void {
    this.#window.set(inFlight + queued, nowMs);
  }

  /** Instances that can be stopped without cutting off a request or work: suspended ones, then idle ones. */
  get spare(): ServiceInstance[] {
    const { fleet, lifecycle } = this.#options;
    return [...fleet.suspended, ...fleet.idle.filter((instance) => lifecycle.work.isDone(instance))];
  }

  /** Idle instances that may turn out to be spare when they are asked. */
  get unasked(): ServiceInstance[] {
    const { fleet, lifecycle } = this.#options;
    return fleet.idle.filter((instance) => !lifecycle.work.isDone(instance) && lifecycle.work.isDue(instance));
  }

  /** Asks an instance whether it has work. Never rejects. */
  ask(instance: ServiceInstance): Promise<void> {
    return this.#options.lifecycle.work.ask(instance);
  }

  /**
   * Stops as many idle instances as the load doesn't need, longest idle first, and suspended ones at the idle timeout. Suspends others
   * that have been idle long enough. Asks those that must be asked first, and settles again with their answers.
   */
  settle(): void {
    const { context, target, fleet, lifecycle, load } = this.#options;
    const { clock, policy, logger } = context;
    const { idleTimeoutMs, suspendAfterMs } = policy;
    const nowMs = clock.monotonicMs();
    const seen = load();
    if (seen === undefined) return;
    const { idle, suspended } = fleet;
    const { stop, state } = decideStops(
      {
        inFlight: seen.inFlight,
        queued: seen.queued,
        concurrency: target.concurrency,
        minInstances: fleet.minInstances,
        ready: fleet.ready.length,
        stableLoad: this.#window.mean(policy.stableWindowMs, nowMs),
        panicLoad: this.#window.mean(policy.panicWindowMs, nowMs),
        idleSinceMs: idle.map((instance) => instance.idleSinceMs),
      },
      this.#scaleState,
      policy,
      nowMs,
    );
    this.#scaleState = state;
    const idleMs = ({ idleSinceMs }: ServiceInstance) => nowMs - idleSinceMs;
    for (const instance of suspended) if (idleMs(instance) >= idleTimeoutMs) lifecycle.drain(instance, 'idle', 0);

    const questions: Promise<void>[] = [];
    const whenDone = (instance: ServiceInstance, act: () => void) => {
      if (lifecycle.work.isDone(instance)) act();
      else if (lifecycle.work.isDue(instance)) questions.push(this.ask(instance));
    };
    for (const instance of idle.slice(0, stop)) {
      const reason = idleMs(instance) >= idleTimeoutMs ? 'idle' : 'scale_down';
      whenDone(instance, () => lifecycle.drain(instance, reason, 0));
    }
    if (suspendAfterMs > 0) {
      for (const instance of idle.slice(stop)) {
        if (idleMs(instance) < suspendAfterMs || instance.handle?.suspend === undefined) continue;
        whenDone(instance, () => lifecycle.suspend(instance));
      }
    }
    if (questions.length === 0) return;
    const answered = Promise.all(questions).then(() => this.settle());
    runInBackground('settle idle instances', answered, logger);
  }
}
