import { describeLogStore } from '@berth/logstore/contract';
import { createFakeLogStore } from './fake-log-store.ts';

describeLogStore('fake', () => ({
  isDurable: false,
  open: async (clock) => createFakeLogStore(clock.nowMs),
  dispose: async () => {},
}));
