import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIdSource, createSystemClock, type Logger } from '@berth/kit';
import {
  createUrlSigner,
  formatSignedUrl,
  type Grant,
  OBJECTS_PREFIX,
  type ObjectStore,
  UPLOADS_PREFIX,
  type VolumeSize,
} from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import { continueOnRead } from '../../listeners/continue-on-read.ts';
import { listen } from '../../listeners/listen.ts';
import { createStorageHandler } from '../create-storage-handler.ts';

/** The storage listener on a real socket, with one volume in files. */
export interface StorageHarness extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly store: ObjectStore;
  readonly place: { readonly account: string; readonly storageId: string };
  /** Whether the volume is there. */
  hasVolume: boolean;
  /** What it told of changes, and what it logged, as text. */
  readonly changes: VolumeSize[];
  readonly logged: string[];
  /** A URL that is good for 15 minutes unless `changes` say otherwise. */
  sign(method: Grant['method'], objectPath: string, changes?: { readonly expiresInMs?: number }): string;
  /** Names of what is being received now. */
  incoming(): string[];
}

/** Creates a {@link StorageHarness}. */
export async function createStorageHarness(): Promise<StorageHarness> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-storage-'));
  const clock = createSystemClock();
  const store = createFsObjectStore({ folder, clock });
  const signer = createUrlSigner({ secret: new Uint8Array(32).fill(5), clock });
  const place = { account: 'acc_1', storageId: 'data.1' };
  await store.folders?.ensure(place, '');
  const changes: VolumeSize[] = [];
  const logged: string[] = [];
  const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const { handle, whole } = createStorageHandler({
    store,
    signer,
    clock,
    logger,
    ids: createIdSource(),
    storageUrl: () => harness.url,
    hasVolume: async () => harness.hasVolume,
    onChange: (_place, change) => void changes.push(change),
  });
  const listener = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      onRequest(request, response) {
        continueOnRead(request, response);
        handle(request, response);
      },
      ...(whole && { whole }),
      onUpgrade: (_request, socket) => void socket.destroy(),
    },
  );
  const harness: StorageHarness = {
    store,
    place,
    changes,
    logged,
    url: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    hasVolume: true,
    sign(method, objectPath, { expiresInMs = 900_000 } = {}) {
      const grant = { ...place, method, path: objectPath };
      const prefix = method === 'POST' || method === 'PATCH' ? UPLOADS_PREFIX : OBJECTS_PREFIX;
      return formatSignedUrl(harness.url, prefix, grant, signer.sign(grant, clock.nowMs() + expiresInMs));
    },
    incoming: () => readdirSync(path.join(folder, '.incoming')),
    async [Symbol.asyncDispose]() {
      await listener.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return harness;
}
