import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createSystemClock } from '@berth/kit';
import type { ObjectStore, PutResult } from '../../object-store.ts';
import { createFsObjectStore } from '../create-fs-object-store.ts';

/** A store in a folder of its own, with one volume that exists. */
export interface FsFixture extends AsyncDisposable {
  readonly root: string;
  /** The folder of the volume. */
  readonly volume: string;
  /** A folder beside the store that nothing of it may reach. */
  readonly outside: string;
  readonly store: ObjectStore;
  readonly place: { readonly account: string; readonly storageId: string };
  put(objectPath: string, content: string): Promise<PutResult>;
  read(objectPath: string): Promise<string | undefined>;
  /** Names of what is being received now. */
  incoming(): string[];
}

export async function createFsFixture(parent: string = tmpdir()): Promise<FsFixture> {
  const base = mkdtempSync(path.join(parent, 'berth-fs-'));
  const root = path.join(base, 'volumes');
  const store = createFsObjectStore({ folder: root, clock: createSystemClock() });
  const place = { account: 'acc_1', storageId: 'data.1' };
  const volume = (await store.folders?.ensure(place, '')) ?? '';
  return {
    root,
    volume,
    store,
    place,
    outside: base,
    put: (objectPath, content) => store.put(place, objectPath, Readable.from([Buffer.from(content)])),
    async read(objectPath) {
      await using open = await store.open(place, objectPath);
      return open && (await text(open.read()));
    },
    incoming: () => readdirSync(path.join(root, '.incoming')),
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
