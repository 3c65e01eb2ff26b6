/**
 * The gateway's decisions without the gateway: pure functions and small state, each given the time. A simulation calls these to find out
 * what the gateway would do with a load.
 */
export { chooseInstance, type Loadable } from './admission/choose-instance.ts';
export { queueDeadlineMs, queuePlaces } from './admission/queue-bounds.ts';
export { deadlineRefusal } from './admission/refusal.ts';
export { ConcurrencyWindow } from './autoscaler/concurrency-window.ts';
export { decideStarts, type StartDecision, type StartObservation } from './autoscaler/decide-starts.ts';
export { decideStops, INITIAL_SCALE_STATE, type StopObservation } from './autoscaler/decide-stops.ts';
export { StartHistory } from './autoscaler/start-history.ts';
export { targetLoad, wantedInstances } from './autoscaler/wanted-instances.ts';
export { DEFAULT_POLICY, type GatewayPolicy } from './port/gateway-policy.ts';
