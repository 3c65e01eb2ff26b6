export { describeAgentStores } from './describe-agent-stores.ts';
export { describeLocks } from './describe-locks.ts';
