import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import {
  canOpenSealed,
  createSealer,
  type Database,
  openDatabase,
  registerSealingKey,
  type Sealers,
} from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Config } from '../config/read-config.ts';
import {
  createMasterKey,
  MASTER_KEY_NAME,
  type MasterKeySettings,
  type MasterKeys,
  masterKeyId,
  RESTORE_KEY,
  readMasterKeys,
  writeMasterKeys,
} from './master-key.ts';
import type { PlatformFolders } from './platform-folders.ts';
import { writePrivateFile } from './write-private-file.ts';

/** Keys derived from the master keys, for each purpose. Lists have one for each master key; the first signs, all of them verify. */
export interface PlatformSecrets {
  /** Ids of the master keys, in their order. */
  readonly masterKeyIds: readonly string[];
  /** Where the master keys are kept, for messages. */
  readonly place: string;
  /** 32 bytes each; seal environment variables. */
  readonly environmentKeys: readonly Uint8Array[];
  /** 32 bytes each; seal the keys that the identity provider signs with. */
  readonly identityKeys: readonly Uint8Array[];
  /** 32 bytes; signs what this server alone verifies: affinity cookies and request timeouts. */
  readonly cookieKey: Uint8Array;
  /** 32 bytes; proves to other gateways that this one belongs to the platform. */
  readonly clusterKey: Uint8Array;
  /** 32 bytes each; sign the URLs of objects. */
  readonly storageKeys: readonly Uint8Array[];
  /** Sign the state of sign-ins with providers. */
  readonly sessionSecrets: readonly string[];
  /**
   * 16 hexadecimal digits that identify this server on a shared container engine. Not secret. It belongs to the data folder: servers that
   * share a master key have different ids, and a restored folder has another one than its original.
   */
  readonly serverId: string;
}

/** Options of {@link openPlatformSecrets}. */
export interface PlatformSecretsOptions {
  readonly config: MasterKeySettings & Pick<Config, 'databaseUrl'>;
  readonly folders: Pick<PlatformFolders, 'data' | 'isFirstRun' | 'origin'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Name of the server id's file; never part of a backup. */
const SERVER_ID_NAME = 'server-id';
const SERVER_ID_BYTES = 8;

/**
 * Reads the master keys and derives the platform's keys. The first start of a platform creates `<data>/master.key`, unless the settings
 * name another place.
 * @throws BerthError `unavailable` when a key is damaged, or is missing although the database has been used: a new key could read none of
 *   the sealed values
 */
export async function openPlatformSecrets(options: PlatformSecretsOptions): Promise<PlatformSecrets> {
  const { config, folders, environment } = options;
  const { data, isFirstRun, origin } = folders;
  const masterKeys =
    (await readMasterKeys({ settings: config, dataFolder: data, environment })) ?? (await makeMasterKey(options));
  // Older folders have an id that is derived from the key.
  if (isFirstRun || origin.kind === 'restored') ensureServerId(data);
  return derive(masterKeys, data);
}

/** Returns the sealers of the database's secrets. */
export function createSealers(secrets: PlatformSecrets): Sealers {
  const { masterKeyIds, environmentKeys, identityKeys } = secrets;
  const ring = (keys: readonly Uint8Array[]) =>
    keys.map((key, index) => ({ masterKeyId: masterKeyIds[index] as string, key }));
  return { environment: createSealer(ring(environmentKeys)), identity: createSealer(ring(identityKeys)) };
}

/**
 * Checks the master keys against the database, and registers the first key in a new one.
 * @throws BerthError `unavailable` when other keys seal the database's secrets
 */
export async function requireOwnKey(db: Kysely<Database>, secrets: PlatformSecrets, clock: Clock): Promise<void> {
  const { masterKeyIds, place } = secrets;
  const [first = ''] = masterKeyIds;
  // First, so that a wrong key isn't registered in a database of an older version.
  const isOpen = await canOpenSealed(db, createSealers(secrets));
  const sealing = isOpen ? await registerSealingKey(db, first, clock.nowMs()) : undefined;
  if (sealing !== undefined && masterKeyIds.includes(sealing)) return;
  const named = sealing === undefined ? '' : ` The database names the key with the id ${sealing}.`;
  throw createError(
    'unavailable',
    `${place} is not the key of this database.${named} ${RESTORE_KEY} Servers that share a database have the same master key: copy it from one of the others to this place.`,
  );
}

/** Creates `<data>/master.key`. @throws BerthError `unavailable` when the database has been used */
async function makeMasterKey({ config, folders }: PlatformSecretsOptions): Promise<MasterKeys> {
  const { data, isFirstRun } = folders;
  const file = path.join(data, MASTER_KEY_NAME);
  if (!isFirstRun) {
    throw createError(
      'unavailable',
      `${file} is missing. ${RESTORE_KEY} If the key was kept elsewhere, set BERTH_MASTER_KEY, BERTH_MASTER_KEY_FILE or BERTH_MASTER_KEY_COMMAND.`,
    );
  }
  if (config.databaseUrl !== undefined && (await isUsed(config.databaseUrl))) {
    throw createError(
      'unavailable',
      `The database of BERTH_DATABASE_URL has been used, and ${file} doesn't exist. Servers that share a database have the same master key. Copy ${MASTER_KEY_NAME} from the data folder of another server to ${file} (mode 0600), or set BERTH_MASTER_KEY, BERTH_MASTER_KEY_FILE or BERTH_MASTER_KEY_COMMAND as that server does, and start again.`,
    );
  }
  const key = createMasterKey();
  writeMasterKeys(file, [key]);
  return { keys: [key], place: file };
}

/** Returns whether a server has used a database. */
async function isUsed(url: string): Promise<boolean> {
  const { db, close } = await openDatabase({ url });
  try {
    return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined;
  } finally {
    await close();
  }
}

function derive({ keys, place }: MasterKeys, data: string): PlatformSecrets {
  // RFC 5869. Each purpose yields a different key.
  const all = (purpose: string) =>
    keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `berth ${purpose}`, 32))) as [Buffer, ...Buffer[]];
  return {
    masterKeyIds: keys.map(masterKeyId),
    place,
    environmentKeys: all('environment'),
    identityKeys: all('identity provider'),
    cookieKey: all('affinity cookie')[0],
    clusterKey: all('gateways')[0],
    storageKeys: all('storage URLs'),
    sessionSecrets: all('sessions').map((key) => key.toString('hex')),
    serverId:
      readServerId(data) ??
      all('server id')[0]
        .toString('hex')
        .slice(0, 2 * SERVER_ID_BYTES),
  };
}

/** Gives a data folder its own `serverId`, once. */
function ensureServerId(data: string): void {
  const file = path.join(data, SERVER_ID_NAME);
  if (!existsSync(file)) writePrivateFile(file, `${randomBytes(SERVER_ID_BYTES).toString('hex')}\n`);
}

/** Reads the id of a data folder; undefined in one of an older version. @throws BerthError `unavailable` when the file is damaged */
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
