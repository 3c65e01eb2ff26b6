import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import { canOpenSealed } from '@berth/control';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { writePrivateFile } from './write-private-file.ts';

/** Keys derived from the data folder's master key, one for each purpose. */
export interface PlatformSecrets {
  /** 32 bytes; seals environment variables. */
  readonly environmentKey: Buffer;
  /** 32 bytes; signs affinity cookies. */
  readonly cookieKey: Buffer;
  /** 32 bytes; signs the URLs of objects. */
  readonly storageKey: Buffer;
  /** 32 bytes; seals the keys that the identity provider signs with. */
  readonly identityKey: Buffer;
  /**
   * 16 hexadecimal digits that identify this server on a shared container engine. Not secret. A restored data folder has an id of its
   * own, because the original server may still be running.
   */
  readonly serverId: string;
  /** Signs sessions. */
  readonly sessionSecret: string;
}

/** The part of `PlatformFolders` that loading the key needs. */
export interface SecretsFolder {
  readonly data: string;
  readonly isFirstRun: boolean;
}

const RESTORE_IT =
  'The database contains variables and keys encrypted with this key. Restore the key file, from a backup if needed.';

/** Checks the master key against the database. @throws BerthError `unavailable` when another key sealed the database's secrets */
export async function requireOwnKey(db: Kysely<Database>, { data }: SecretsFolder, secrets: PlatformSecrets) {
  if (await canOpenSealed(db, secrets)) return;
  const file = path.join(data, MASTER_KEY_NAME);
  throw createError('unavailable', `${file} is not the key of this database. ${RESTORE_IT}`);
}

/** Name of the master key's file in the data folder. */
export const MASTER_KEY_NAME = 'master.key';
const MASTER_KEY_BYTES = 32;
/** Name of the id's file in a restored data folder; never part of a backup. */
const SERVER_ID_NAME = 'server-id';
const SERVER_ID_BYTES = 8;

/** Gives a restored data folder its own `serverId`, once, so that it leaves the original's containers alone. */
export function ensureOwnServerId(data: string): void {
  const file = path.join(data, SERVER_ID_NAME);
  if (!existsSync(file)) writePrivateFile(file, `${randomBytes(SERVER_ID_BYTES).toString('hex')}\n`);
}

/**
 * Reads `<data>/master.key`, or creates it on the first start. Without it, sealed environment variables can't be recovered.
 * @throws BerthError `unavailable` when the file is damaged, or missing after the first start: a new key could read none of the
 *   sealed values
 */
export function loadPlatformSecrets({ data, isFirstRun }: SecretsFolder): PlatformSecrets {
  const file = path.join(data, MASTER_KEY_NAME);
  if (!existsSync(file) && !isFirstRun) throw createError('unavailable', `${file} is missing. ${RESTORE_IT}`);
  if (!existsSync(file)) writePrivateFile(file, `${randomBytes(MASTER_KEY_BYTES).toString('hex')}\n`);
  const master = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (master.length !== MASTER_KEY_BYTES) {
    throw createError('unavailable', `${file} is damaged. ${RESTORE_IT}`);
  }
  // RFC 5869. Each purpose yields a different key.
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', `berth ${purpose}`, 32));
  return {
    environmentKey: derive('environment'),
    cookieKey: derive('affinity cookie'),
    storageKey: derive('storage URLs'),
    identityKey: derive('identity provider'),
    serverId:
      readServerId(data) ??
      derive('server id')
        .toString('hex')
        .slice(0, 2 * SERVER_ID_BYTES),
    sessionSecret: derive('sessions').toString('hex'),
  };
}

/** Reads the id of a restored folder; undefined in any other. @throws BerthError `unavailable` when the file is damaged */
function readServerId(data: string): string | undefined {
  const file = path.join(data, SERVER_ID_NAME);
  if (!existsSync(file)) return undefined;
  const id = readFileSync(file, 'utf8').trim();
  if (/^[0-9a-f]{16}$/.test(id)) return id;
  throw createError(
    'unavailable',
    `${file} is damaged: it must contain 16 hexadecimal digits. Restore the file, or restore the backup again.`,
  );
}
