export { type InnerListener, openInnerListener, resolveInner } from '../outbound/testing/inner-listener.ts';
export { openTestSdk, type TestSdk } from '../tracing/testing/open-sdk.ts';
