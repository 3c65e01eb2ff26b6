import path from 'node:path';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import { type Config, readConfig } from '../config/read-config.ts';
import { LOG_KEYS, openBucket } from '../storage/open-bucket.ts';

/** Settings that say where the platform moves to; the others belong to the server that it leaves. */
const KEPT_SETTINGS =
  /^BERTH_(DATABASE_URL|LOG_DATABASE_URL|S3_.*|SHARED_FOLDER|MASTER_KEY.*|REGISTRY|REGISTRY_USERNAME|REGISTRY_PASSWORD)$/;

/** Where a platform moves to. */
export interface MoveTarget extends AsyncDisposable {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logDatabaseUrl: string;
  readonly volumes: ObjectStore;
  /** Archives and build results. */
  readonly objects: ObjectStore;
  /** Segments of logs. */
  readonly segments: ObjectStore;
  /** The place of objects, for messages and to tell targets apart. */
  readonly name: string;
}

/**
 * Opens the target that the environment names.
 * @throws BerthError `invalid` with everything that is missing or wrong
 */
export async function openTarget(
  dataFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<MoveTarget> {
  const own = Object.entries(environment).filter(([name]) => !name.startsWith('BERTH_') || KEPT_SETTINGS.test(name));
  const reading = readConfig({
    flags: { data: dataFolder },
    environment: Object.fromEntries(own),
    workingFolder: process.cwd(),
  });
  if ('faults' in reading) throw createError('invalid', reading.faults.join('\n'));
  const { config } = reading;
  const { databaseUrl, s3Bucket, s3LogBucket, sharedFolder } = config;
  if (databaseUrl === undefined || !config.isShared) {
    throw createError(
      'invalid',
      'Set BERTH_DATABASE_URL, and BERTH_S3_BUCKET or BERTH_SHARED_FOLDER, to what Berth uses on the cluster.',
    );
  }
  const stack = new AsyncDisposableStack();
  const use = (store: ObjectStore) => stack.adopt(store, (one) => one.close());
  const folder = (name: string) =>
    use(createFsObjectStore({ folder: path.join(sharedFolder ?? '', name), clock, isShared: true }));
  const bucket = async (name: string, keyPrefix?: string) =>
    use(await openBucket(config, { bucket: name, clock, ...(keyPrefix !== undefined && { keyPrefix }) }));
  const logBucket = s3LogBucket ?? s3Bucket;
  return {
    config,
    databaseUrl,
    logDatabaseUrl: config.logDatabaseUrl ?? databaseUrl,
    volumes: s3Bucket === undefined ? folder('volumes') : await bucket(s3Bucket),
    objects: s3Bucket === undefined ? folder('objects') : await bucket(s3Bucket),
    segments: logBucket === undefined ? folder('objects/logs') : await bucket(logBucket, LOG_KEYS),
    name:
      s3Bucket === undefined
        ? `the shared folder ${sharedFolder}`
        : `the bucket ${s3Bucket}${config.s3Endpoint === undefined ? '' : ` of ${config.s3Endpoint}`}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
