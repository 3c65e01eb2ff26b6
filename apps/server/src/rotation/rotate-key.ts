import path from 'node:path';
import { createError } from '@berth/contract';
import {
  type Database,
  findSealingKey,
  isSealedByCurrent,
  promoteSealingKey,
  type ResealOptions,
  resealSecrets,
} from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import {
  createMasterKey,
  MASTER_KEY_NAME,
  type MasterKeys,
  masterKeyId,
  readMasterKeys,
  writeMasterKeys,
} from '../data-folder/master-key.ts';
import {
  createSealers,
  openPlatformSecrets,
  type PlatformSecretsOptions,
  requireOwnKey,
} from '../data-folder/platform-secrets.ts';

/** The outcome of {@link rotateKey}. */
export type KeyRotation =
  /** The new key opens and verifies, and seals nothing yet. */
  | { readonly kind: 'added'; readonly key: string; readonly place: string }
  /** The new key sealed every secret; the others of the ring are no longer needed to open any. */
  | {
      readonly kind: 'rotated';
      readonly key: string;
      readonly sealed: number;
      readonly former: readonly string[];
      readonly place: string;
    };

/** Options of {@link rotateKey}. */
export interface RotateKeyOptions extends PlatformSecretsOptions, Pick<ResealOptions, 'onProgress'> {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  /** Every server has the new key, so secrets can be sealed with it. */
  readonly isKnownToAll: boolean;
}

const HOW_TO_ADD =
  'Add a new key after the current one, separated by a comma or a line break (openssl rand -hex 32 makes one), on every server, restart each, and run this command again.';

/**
 * Takes the next step of a rotation of the master key. Repeat it until it returns `rotated`; after a kill, the next call goes on.
 *
 * 1. A new key is added to the ring. With the file of the data folder, this function does it; elsewhere, the operator does.
 * 2. When every server has it (`isKnownToAll`), the database names it as the key that seals, and every secret is sealed with it.
 * 3. The former keys may be removed from the ring.
 *
 * @throws BerthError `conflict` when a new key has to be added by the operator, or there are several
 */
export async function rotateKey(options: RotateKeyOptions): Promise<KeyRotation> {
  const { db, clock, isKnownToAll, onProgress } = options;
  const secrets = await openPlatformSecrets(options);
  await requireOwnKey(db, secrets, clock);
  const known = new Set((await db.selectFrom('sealing_keys').select('key_id').execute()).map(({ key_id }) => key_id));
  const isNew = (id: string) => !known.has(id);
  const isFinished = await isSealedByCurrent(db, createSealers(secrets));
  if (!secrets.masterKeyIds.some(isNew) && isFinished) {
    await addKey(options, await readOwnKeys(options));
    if (!isKnownToAll) return describeNew(options, isNew);
    return rotateKey(options);
  }
  if (secrets.masterKeyIds.some(isNew) && !isKnownToAll) return describeNew(options, isNew);
  await promoteSealingKey(db, secrets.masterKeyIds, clock.nowMs());
  const sealers = createSealers(secrets);
  const sealed = await resealSecrets({ db, sealers, ...(onProgress && { onProgress }) });
  const key = (await findSealingKey(db)) as string;
  await putFirst(options, key);
  const former = secrets.masterKeyIds.filter((id) => id !== key);
  return { kind: 'rotated', key, sealed, former, place: secrets.place };
}

async function readOwnKeys({ config, folders, environment }: RotateKeyOptions): Promise<MasterKeys> {
  const found = await readMasterKeys({ settings: config, dataFolder: folders.data, environment });
  if (found) return found;
  throw createError('unavailable', 'The master key was removed in the meantime.');
}

async function describeNew(options: RotateKeyOptions, isNew: (id: string) => boolean): Promise<KeyRotation> {
  const { keys, place } = await readOwnKeys(options);
  return { kind: 'added', key: keys.map(masterKeyId).find(isNew) as string, place };
}

/** Returns whether the keys are in the data folder, where this program may change them. */
const isOwnFile = ({ folders }: RotateKeyOptions, place: string) => place === path.join(folders.data, MASTER_KEY_NAME);

/** Adds a key as the last: others may not know it, so it must not sign yet. */
async function addKey(options: RotateKeyOptions, { keys, place }: MasterKeys): Promise<void> {
  if (!isOwnFile(options, place)) throw createError('conflict', `${place} has no new key. ${HOW_TO_ADD}`);
  writeMasterKeys(place, [...keys, createMasterKey()]);
}

/** Makes the key that seals the one that signs, from the next start on. */
async function putFirst(options: RotateKeyOptions, id: string): Promise<void> {
  const { keys, place } = await readOwnKeys(options);
  if (!isOwnFile(options, place)) return;
  const isFirst = (key: Buffer) => masterKeyId(key) === id;
  writeMasterKeys(place, [...keys.filter(isFirst), ...keys.filter((key) => !isFirst(key))]);
}
