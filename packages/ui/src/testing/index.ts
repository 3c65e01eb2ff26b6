export { formatMessage, type MessageValues } from '../text/messages.ts';
export { type MountedView, mount } from './mount.ts';
export { findNamed, getNamed, type Name, nameOf, textOf } from './names.ts';
