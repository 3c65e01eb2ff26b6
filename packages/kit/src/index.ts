export { type BackoffOptions, backoffMs } from './backoff.ts';
export { BerthError, type BerthErrorOptions } from './berth-error.ts';
export { type Clock, createSystemClock, type Timer } from './clock.ts';
export { createDeferred, type Deferred } from './deferred.ts';
export { type AccountId, createIdSource, type DeployId, type Id, type IdSource, type InstanceId } from './id.ts';
export { createSilentLogger, type LogFields, type Logger } from './logger.ts';
export { describeError, runInBackground } from './run-in-background.ts';
export { createSerialQueue, type SerialQueue } from './serial-queue.ts';
export { createSingleFlight, type SingleFlight } from './single-flight.ts';
