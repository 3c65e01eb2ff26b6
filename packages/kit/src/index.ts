export { type BackoffOptions, backoffMs } from './backoff.ts';
export { BerthError, type BerthErrorOptions } from './berth-error.ts';
export { type Clock, createSystemClock, type Timer } from './clock.ts';
export { contrastOf, formatColor, mixColors, parseColor, type Rgb } from './contrast.ts';
export { describeUserAgent, type UserAgentDescription } from './describe-user-agent.ts';
export { forEachConcurrently } from './for-each-concurrently.ts';
export { type AccountId, createIdSource, type DeployId, type Id, type IdSource, type InstanceId } from './id.ts';
export {
  type AcquireOptions,
  createLimiter,
  type Limiter,
  type LimiterCounts,
  type LimiterOptions,
  type Slot,
} from './limiter.ts';
export { createSilentLogger, type LogFields, type Logger } from './logger.ts';
export { describeError, runInBackground } from './run-in-background.ts';
export { createSingleFlight, type SingleFlight } from './single-flight.ts';
