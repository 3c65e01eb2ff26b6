import type { Clock } from '@berth/kit';
import type { InstanceLifecycle, Start } from '../instances/instance-lifecycle.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { InstanceState } from '../port/gateway.ts';
import type { Fleet } from './fleet.ts';

/** The holds on a revision's instances; see `GatewayControl.hold`. A held instance is billable, and isn't idle. */
export class Holds {
  readonly #clock: Clock;
  readonly #fleet: Pick<Fleet, 'all'>;
  readonly #lifecycle: Pick<InstanceLifecycle, 'resume'>;
  readonly #start: () => Start;

  constructor(
    clock: Clock,
    fleet: Pick<Fleet, 'all'>,
    lifecycle: Pick<InstanceLifecycle, 'resume'>,
    start: () => Start,
  ) {
    this.#clock = clock;
    this.#fleet = fleet;
    this.#lifecycle = lifecycle;
    this.#start = start;
  }

  /** Holds the instance that is ready soonest; one is started when there is none. Throws as {@link Start.ready}. */
  async holdAny(): Promise<ServiceInstance> {
    const all = [...this.#fleet.all];
    const inState = (state: InstanceState) => all.find((instance) => instance.state === state);
    const found = inState('ready') ?? inState('unready') ?? inState('resuming') ?? inState('suspended');
    if (found) return this.hold(found);
    const starting = inState('starting');
    if (starting?.handle) return this.hold(starting);
    const { instance, ready } = this.#start();
    instance.holds++;
    await ready;
    instance.settleBilling(this.#clock.monotonicMs());
    return instance;
  }

  /** Holds an instance until {@link letGo}. Resolves when commands can run in it. */
  async hold(instance: ServiceInstance): Promise<ServiceInstance> {
    instance.holds++;
    if (instance.state === 'suspended') await this.#lifecycle.resume(instance);
    if (instance.state === 'ready') instance.settleBilling(this.#clock.monotonicMs());
    return instance;
  }

  letGo(instance: ServiceInstance): void {
    const nowMs = this.#clock.monotonicMs();
    instance.holds--;
    if (instance.holds > 0 || instance.state !== 'ready' || instance.inFlight > 0) return;
    instance.idleSinceMs = nowMs;
    instance.settleBilling(nowMs);
  }
}
