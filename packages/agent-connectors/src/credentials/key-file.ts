import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import { codeOf } from '@berth/kit/node';
import { parseKeys, type SealingKey } from './parse-keys.ts';

/** Returns the path of the agent's key file. */
export function keyFileOf(dataFolder: string): string {
  return path.join(dataFolder, '.secrets', 'keys');
}

/**
 * Reads the keys in the data folder; undefined when there is no key file.
 * @throws `invalid` when the file is damaged: creating a new one would make everything it sealed unreadable;
 * `unavailable` when it can't be read.
 */
export async function readKeyFile(file: string): Promise<readonly SealingKey[] | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(file, error);
  }
  return parseKeys(text, `${file} (it seals what people connected: restore it from a backup)`);
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
    await writeSynced(temporary, `k-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`);
    // link(2) creates the name atomically and only if it doesn't exist yet.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await syncFolder(folder);
  } catch (error) {
    throw unusable(file, error);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  const made = await readKeyFile(file);
  if (!made) throw unusable(file, new Error('it went away'));
  return made;
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unusable(file: string, cause: unknown) {
  return createError(
    'unavailable',
    `The keys of connections can't be kept in ${file} (${codeOf(cause) ?? 'failed'}). ` +
      'Let the agent write there, or set BERTH_AGENT_KEYS.',
    { cause },
  );
}
