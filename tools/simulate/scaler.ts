import type { StartDecision, StartObservation, StopObservation } from '@berth/gateway/policy';

/** Input of a scaling decision. */
export interface ScaleObservation extends Omit<StartObservation, 'wanted'> {
  readonly concurrency: number;
  /** Requests in flight and waiting. */
  readonly load: number;
}

/** The decision of a tick. */
export interface TickDecision {
  readonly wanted: number;
  /** How many idle instances to stop, longest idle first. */
  readonly stop: number;
  /** The panic there is ends here; in the past when there is none. */
  readonly panicUntilMs: number;
}

/** A way to scale one service. Admission and the queue are the same for all. */
export interface Scaler {
  /** Ready from the first moment on. */
  readonly initialInstances: number;
  /** An instance is stopped in the moment it has nothing to do. */
  readonly stopsWhenIdle: boolean;
  decideStarts(seen: ScaleObservation, nowMs: number): StartDecision;
  /** Absent when nothing happens on ticks. */
  readonly tick?: (seen: StopObservation, nowMs: number) => TickDecision;
}
