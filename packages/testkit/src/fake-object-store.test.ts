import { createFakeClock } from '@berth/kit/testing';
import { describeObjectStore } from '@berth/object-store/contract';
import { createFakeObjectStore } from './fake-object-store.ts';

describeObjectStore('fake', {
  hasPartialUploads: false,
  open: async () => createFakeObjectStore({ clock: createFakeClock() }),
});
