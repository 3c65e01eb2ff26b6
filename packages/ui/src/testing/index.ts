export { formatMessage, type MessageValues } from '../text/messages.ts';
export { type MountedView, mount } from './mount.ts';
