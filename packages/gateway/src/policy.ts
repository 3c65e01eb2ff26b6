/**
 * What the gateway decides by, without the gateway: pure functions and small state, each handed the time. Whatever wants to know
 * what the gateway would do with a load (a simulation, say) calls these.
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
