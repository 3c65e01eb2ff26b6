export { formatMessage, type MessageValues } from '../text/messages.ts';
export type { FakeField } from './fake-document.ts';
export type { FakeElement } from './fake-nodes.ts';
export { type MountedView, mount } from './mount.ts';
