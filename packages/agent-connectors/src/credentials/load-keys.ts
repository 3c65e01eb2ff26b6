import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { codeOf } from '@berth/kit/node';
import { joinKeys, parseKeys, type SealingKey } from './parse-keys.ts';

/** Options of {@link loadKeys}. */
export interface LoadKeysOptions {
  /** `AgentOptions.secretKeys`. */
  readonly secretKeys: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder: string;
  readonly isProduction: boolean;
  readonly logger: Logger;
}

/**
 * Returns the keys that seal credentials: those that the owner gives, else those in the data folder, created on the
 * first start. When the owner gives keys, the file's keys only open what they sealed before.
 * @throws `invalid` for malformed keys; `unavailable` when the file can't be read or created.
 */
export async function loadKeys({
  secretKeys,
  environment,
  dataFolder,
  isProduction,
  logger,
}: LoadKeysOptions): Promise<readonly SealingKey[]> {
  const file = keyFileOf(dataFolder);
  const given = secretKeys === undefined ? keysOfEnvironment(environment) : parseKeys(secretKeys, 'secretKeys');
  if (given) return joinKeys([given, (await readKeyFile(file)) ?? []], 'The keys of connections');
  const keys = joinKeys([await ensureKeyFile(file)], file);
  if (isProduction) {
    logger.warn(
      { file },
      'credentials are encrypted with a key in the data folder; set BERTH_AGENT_KEYS to store the key elsewhere',
    );
  }
  return keys;
}

/**
 * `BERTH_AGENT_KEYS`, and the variables that rotations add: `BERTH_AGENT_KEYS_2`, `_3`… Rotations add new variables
 * because the existing ones can't be read back.
 */
const NAME = /^BERTH_AGENT_KEYS(?:_([1-9]\d{0,5}))?$/;

/**
 * Returns the keys in the environment, those of the highest number first. Undefined when there are none.
 * @throws `invalid` naming the variable.
 */
function keysOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): readonly SealingKey[] | undefined {
  const rings = Object.entries(environment)
    .flatMap(([name, text]) => {
      const match = NAME.exec(name);
      return match && text ? [{ name, text, number: Number(match[1] ?? 1) }] : [];
    })
    .sort((a, b) => b.number - a.number);
  if (rings.length === 0) return undefined;
  return joinKeys(
    rings.map(({ name, text }) => parseKeys(text, name)),
    'BERTH_AGENT_KEYS',
  );
}

/** Returns the path of the agent's key file. */
export function keyFileOf(dataFolder: string): string {
  return path.join(dataFolder, '.secrets', 'keys');
}

/**
 * Reads the keys in the data folder; undefined when there is no key file.
 * @throws `invalid` when the file is damaged: creating a new one would make everything it sealed unreadable;
 * `unavailable` when it can't be read.
 */
async function readKeyFile(file: string): Promise<readonly SealingKey[] | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(file, error);
  }
  return parseKeys(text, `${file} (it encrypts connections: restore it from a backup)`);
}

/**
 * Returns the keys in the data folder, creating them on the first start. When several instances start together, one
 * creates the keys and the others read them.
 * @throws as `readKeyFile`.
 */
export async function ensureKeyFile(file: string): Promise<readonly SealingKey[]> {
  const found = await readKeyFile(file);
  if (found) return found;
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.keys-${randomBytes(8).toString('hex')}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const key = `k-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`;
    await writeFile(temporary, key, { flag: 'wx', mode: 0o600, flush: true });
    // link(2) creates the name atomically and only if it doesn't exist yet.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    throw unusable(file, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  const made = await readKeyFile(file);
  if (!made) throw unusable(file, new Error('it was removed'));
  return made;
}

function unusable(file: string, cause: unknown) {
  return createError(
    'unavailable',
    `The connection keys can't be stored in ${file} (${codeOf(cause) ?? 'failed'}). ` +
      'Make the folder writable, or set BERTH_AGENT_KEYS.',
    { cause },
  );
}
