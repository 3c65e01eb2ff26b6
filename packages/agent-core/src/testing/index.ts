export { type InnerListener, openInnerListener, resolveInner } from '../outbound/testing/inner-listener.ts';
