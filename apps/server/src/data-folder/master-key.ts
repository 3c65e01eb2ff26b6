import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract';
import type { Config } from '../config/read-config.ts';
import { runSecretCommand } from '../secret-store/run-secret-command.ts';
import { describeSystemError } from './describe-system-error.ts';
import { writePrivateFile } from './write-private-file.ts';

/** Name of the master key's file in the data folder. */
export const MASTER_KEY_NAME = 'master.key';
/** Size of a master key. */
const MASTER_KEY_BYTES = 32;

/** The settings that say where the master key is. */
export type MasterKeySettings = Pick<Config, 'masterKey' | 'masterKeyFile' | 'masterKeyCommand'>;

/** The master keys of a server, and where they are kept. */
export interface MasterKeys {
  /** 32 bytes each. The first signs; which one seals is a fact of the database. */
  readonly keys: readonly Buffer[];
  /** For messages: a file or a variable. */
  readonly place: string;
}

/** Options of {@link readMasterKeys}. */
export interface ReadMasterKeysOptions {
  readonly settings: MasterKeySettings;
  readonly dataFolder: string;
  /** Variables of the server; the command runs with them, except for `BERTH_` ones. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const RESTORE_KEY =
  'The database contains variables and keys encrypted with this key. Restore the key file, from a backup if needed.';

/**
 * Reads the master keys from the environment, a file or a command, or from `<data>/master.key`, the default. Returns undefined when that
 * file doesn't exist. No error contains a key or the output of the command.
 * @throws BerthError `unavailable` when there is no key, a key is damaged, or the command fails
 */
export async function readMasterKeys(options: ReadMasterKeysOptions): Promise<MasterKeys | undefined> {
  const { settings, dataFolder } = options;
  const { masterKey, masterKeyFile, masterKeyCommand } = settings;
  if (masterKey !== undefined) return parse(masterKey, 'BERTH_MASTER_KEY');
  if (masterKeyCommand !== undefined) {
    return parse(await runKeyCommand(masterKeyCommand, options.environment), 'The output of BERTH_MASTER_KEY_COMMAND');
  }
  if (masterKeyFile !== undefined) return parse(readKeyFile(masterKeyFile), path.resolve(masterKeyFile));
  const file = path.join(dataFolder, MASTER_KEY_NAME);
  return existsSync(file) ? parse(readKeyFile(file), file) : undefined;
}

/** Writes the keys of `<data>/master.key`, in their order. */
export function writeMasterKeys(file: string, keys: readonly Uint8Array[]): void {
  writePrivateFile(file, keys.map((key) => `${Buffer.from(key).toString('hex')}\n`).join(''));
}

/** Creates a master key. */
export function createMasterKey(): Buffer {
  return randomBytes(MASTER_KEY_BYTES);
}

/** Returns the id of a master key, which doesn't reveal it: 16 hexadecimal digits. */
export function masterKeyId(key: Uint8Array): string {
  return createHash('sha256').update('berth master key id').update(key).digest('hex').slice(0, 16);
}

function parse(text: string, place: string): MasterKeys {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const keys = words.map((word) => {
    if (/^[0-9a-f]{64}$/i.test(word)) return Buffer.from(word, 'hex');
    // As key management services print 32 bytes.
    if (/^[A-Za-z0-9+/]{43}=$/.test(word)) return Buffer.from(word, 'base64');
    throw damaged(place);
  });
  if (keys.length === 0) throw damaged(place);
  return { keys, place };
}

function damaged(place: string) {
  const form = 'A master key has 64 hexadecimal digits; several keys are separated by commas or line breaks.';
  return createError('unavailable', `${place} is damaged. ${form} ${RESTORE_KEY}`);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = describeSystemError(cause);
    if (reason === undefined) throw cause;
    throw createError('unavailable', `The master key can't be read: ${reason}`, { cause });
  }
}

async function runKeyCommand(
  command: readonly string[],
  environment: ReadMasterKeysOptions['environment'],
): Promise<string> {
  const result = await runSecretCommand(command, environment);
  if ('output' in result) return result.output;
  throw createError(
    'unavailable',
    `BERTH_MASTER_KEY_COMMAND ${result.failure}: ${command[0]}. Berth doesn't log its output, which may contain the key. Run the command as the server's user to see why.`,
  );
}
