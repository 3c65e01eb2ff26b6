import path from 'node:path';
import type { Volumes } from '@berth/control';
import { createUrlSigner, type ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { ServiceAddresses } from '../addresses/service-address.ts';
import type { Config } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';
import { volumesFolder } from '../data-folder/platform-folders.ts';
import { continueOnRead } from '../listeners/continue-on-read.ts';
import { type Listener, listen } from '../listeners/listen.ts';
import { refuseUpgrade } from '../listeners/plain-answers.ts';
import { createStorageHandler, type StorageHandler } from './create-storage-handler.ts';
import { openBucket } from './open-bucket.ts';

/** Options of {@link openStorage}. */
export interface OpenStorageOptions extends PartOptions {
  /** Folder of everything that services may see. */
  readonly workRoot: string;
  /** The port of the API. */
  readonly listenPort: number;
  readonly addresses: Pick<ServiceAddresses, 'storageUrl'>;
  /** 32 random bytes each: the first signs URLs, all of them verify. */
  readonly secrets: readonly Uint8Array[];
}

/** Opens the object store that the settings name. The listener that transfers its objects opens with `serve`. */
export async function openStorage(options: OpenStorageOptions) {
  const { config, clock, ids, logger, shutdown } = options;
  const store = await createStore(options);
  shutdown.push('object store', () => store.close());
  const [secret, ...otherSecrets] = options.secrets as readonly [Uint8Array, ...Uint8Array[]];
  const signer = createUrlSigner({ secret, otherSecrets, clock });
  let listener: Listener | undefined;
  const port = () => listener?.port ?? 0;
  const storageUrl = () => storageUrlOf(config, options.addresses, port());
  return {
    store,
    signer,
    /** Base URL of the listener, as clients reach it. Known after `serve`. */
    storageUrl,
    /** The port of the listener; 0 before `serve`. */
    port,
    /** Creates the handler of signed URLs. */
    createHandler(volumes: Pick<Volumes, 'has' | 'noteChange'>): StorageHandler {
      const { handle, whole } = createStorageHandler({
        store,
        signer,
        storageUrl,
        clock,
        ids,
        logger,
        hasVolume: volumes.has,
        onChange: volumes.noteChange,
      });
      return {
        handle(request, response) {
          continueOnRead(request, response);
          handle(request, response);
        },
        ...(whole && { whole }),
      };
    },
    /** Opens the listener. @throws BerthError `conflict` when the configured port is taken */
    async serve({ handle, whole }: StorageHandler): Promise<void> {
      listener = await listenBeside(config, options.listenPort, {
        onRequest: handle,
        ...(whole && { whole }),
        onUpgrade: (_request, socket) => refuseUpgrade(socket, '400 Bad Request'),
      });
      shutdown.push('storage listener', listener.close);
    },
  };
}

/** Returns the operator's URL; on localhost, the listener's own port; on a domain, the public ports, which have certificates. */
function storageUrlOf(config: Config, addresses: Pick<ServiceAddresses, 'storageUrl'>, port: number): string {
  if (config.storageUrl !== undefined) return config.storageUrl.replace(/\/+$/, '');
  return config.domain === 'localhost' ? `http://localhost:${port}` : addresses.storageUrl;
}

async function createStore({ config, clock, workRoot }: OpenStorageOptions): Promise<ObjectStore> {
  const { s3Bucket: bucket, sharedFolder } = config;
  if (bucket !== undefined) return openBucket(config, { bucket, clock });
  const folder = volumesFolder(config, workRoot);
  return createFsObjectStore({ folder, clock, isShared: sharedFolder !== undefined });
}

/** Opens the store of what servers share besides volumes, under key prefixes of its own; undefined on a platform of one server. */
export async function openSharedObjects({ config, clock, shutdown }: PartOptions): Promise<ObjectStore | undefined> {
  const { isShared, s3Bucket: bucket, sharedFolder } = config;
  if (!isShared) return undefined;
  const store =
    bucket === undefined
      ? createFsObjectStore({ folder: path.join(sharedFolder ?? '', 'objects'), clock, isShared })
      : await openBucket(config, { bucket });
  shutdown.push('shared objects', () => store.close());
  return store;
}

/** Listens on the configured port, or on the one after the API's, or on any if that is taken. */
async function listenBeside(
  { host, storagePort }: Config,
  listenPort: number,
  handlers: Parameters<typeof listen>[1],
): Promise<Listener> {
  if (storagePort !== undefined) return listen({ host, port: storagePort }, handlers);
  return listen({ host, port: listenPort + 1 }, handlers).catch(() => listen({ host, port: 0 }, handlers));
}
