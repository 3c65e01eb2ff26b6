import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import { codeOf } from '@berth/kit/node';
import { parseKeys, type SealingKey } from './parse-keys.ts';

/** Where an agent's own keys are. */
export function keyFileOf(dataFolder: string): string {
  return path.join(dataFolder, '.secrets', 'keys');
}

/**
 * The keys in the data folder; undefined when there are none.
 * @throws `invalid` when the file is damaged: a new one would make all that it sealed unreadable. `unavailable`.
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
 * The keys in the data folder, made on the first start. Of instances that start at once one makes them, and all read the same.
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
    // Whole, or not at all, and never over another's: link(2) makes a name only where there is none.
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
