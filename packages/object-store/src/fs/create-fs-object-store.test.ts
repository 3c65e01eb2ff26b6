import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSystemClock } from '@berth/kit';
import { afterAll } from 'vitest';
import { describeObjectStore } from '../contract/index.ts';
import { createFsObjectStore } from './create-fs-object-store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-objects-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clock = createSystemClock();

describeObjectStore('fs', {
  hasPartialUploads: true,
  open: async () => createFsObjectStore({ folder, clock }),
});

// Each window holds two entries: folders are read again and again, which is what large ones come to.
describeObjectStore('fs with small windows', {
  hasPartialUploads: false,
  open: async () => createFsObjectStore({ folder, clock, windowEntries: 2 }),
});
