import { describeObjectStore } from '@berth/object-store/contract';
import { createFakeClock } from './fake-clock.ts';
import { createFakeObjectStore } from './fake-object-store.ts';

describeObjectStore('fake', {
  hasPartialUploads: false,
  open: async () => createFakeObjectStore({ clock: createFakeClock() }),
});
