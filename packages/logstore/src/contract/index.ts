export { describeLogStore, type LogStoreHarness } from './describe-log-store.ts';
