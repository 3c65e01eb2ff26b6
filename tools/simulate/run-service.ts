import type { Arrival } from './create-arrivals.ts';
import { EventQueue } from './event-queue.ts';
import { SimulatedService, type SimulatedServiceOptions } from './simulated-service.ts';

/** A service, its traffic and observers. */
export interface RunServiceOptions extends Omit<SimulatedServiceOptions, 'events'> {
  readonly arrivals: Iterator<Arrival, void>;
  /** Where the traffic ends. */
  readonly horizonMs: number;
  /** Goes on after the last request until nothing is left to happen. Otherwise the instances there are then stay. */
  readonly untilSilence?: boolean;
  /** Called after each event. */
  readonly onEvent?: (service: SimulatedService, nowMs: number) => void;
}

/**
 * Simulates a service's traffic until every request has a response.
 *
 * @returns the service, and the time of its last event
 */
export function runService(options: RunServiceOptions): {
  readonly service: SimulatedService;
  readonly endedAtMs: number;
} {
  const { arrivals, horizonMs, untilSilence = false, onEvent, tally } = options;
  const events = new EventQueue();
  const service = new SimulatedService({ ...options, events });
  let isTraffic = true;
  const scheduleNext = () => {
    const next = arrivals.next();
    if (next.done) {
      isTraffic = false;
      return;
    }
    events.at(next.value.atMs, () => {
      service.arrive(next.value);
      scheduleNext();
    });
  };
  scheduleNext();
  const isOver = () =>
    !untilSilence && !isTraffic && service.waiting + service.inFlight === 0 && (events.nextAtMs ?? 0) >= horizonMs;
  while (!isOver() && events.step()) onEvent?.(service, events.nowMs);
  for (const instance of service.fleet.all()) tally.addInstance(instance.requestedAtMs, horizonMs);
  return { service, endedAtMs: events.nowMs };
}
