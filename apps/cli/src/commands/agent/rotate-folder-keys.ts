import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writePrivateFile } from '@berth/kit/node';
import { UsageError } from '../../errors/usage-error.ts';
import type { Output } from '../../output/output.ts';
import { makeAgentKey } from './make-agent-key.ts';

/** Adds a new current key to an agent's data folder. */
export async function rotateFolderKeys(folder: string, output: Output): Promise<void> {
  const keys = await readKeys(folder);
  const key = makeAgentKey('k');
  await writePrivateFile(fileOf(folder), `${[key, ...keys].join('\n')}\n`);
  output.json({ key: idOf(key), keys: keys.length + 1 });
  output.say(`${fileOf(folder)} has a new key, ${idOf(key)}. Restart the agent. 30 seconds after it starts,`);
  output.say(`everything is encrypted with the new key. Then run: berth agent rotate-keys --data ${folder} --finish`);
}

/** Removes keys that are no longer in use according to the agent's notes. @returns the exit code */
export async function finishFolderKeys(folder: string, isForced: boolean, output: Output): Promise<number> {
  const [current = '', ...older] = await readKeys(folder);
  if (older.length > 0 && !isForced && (await readNote(folder)) !== idOf(current)) {
    output.fail({
      code: 'conflict',
      message: `The agent has not yet logged that everything is encrypted with ${idOf(current)}.`,
      hints: [
        'It does so 30 seconds after it starts with the new key. Restart it and try again.',
        '--force removes the older keys now; connections still encrypted with them must be connected again.',
      ],
    });
    return 1;
  }
  if (older.length > 0) await writePrivateFile(fileOf(folder), `${current}\n`);
  output.json({ key: idOf(current), removed: older.map(idOf) });
  output.say(older.length > 0 ? `Removed ${older.map(idOf).join(', ')}.` : 'There are no older keys.');
  return 0;
}

const fileOf = (folder: string) => path.join(folder, '.secrets', 'keys');
const idOf = (key: string) => key.slice(0, key.indexOf(':'));

/** As they are written, `id:base64`; the first one is current. */
async function readKeys(folder: string): Promise<readonly string[]> {
  const text = await readFile(fileOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new UsageError(
      `${fileOf(folder)} does not exist. An agent with connectors creates it at its first start, unless BERTH_AGENT_KEYS is set.`,
    );
  });
  const keys = text.split(/[,\n]/).flatMap((key) => key.trim() || []);
  if (keys.length === 0 || keys.some((key) => !key.includes(':'))) {
    throw new UsageError(`${fileOf(folder)} contains no agent keys.`);
  }
  return keys;
}

async function readNote(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, '.secrets', 'sealed-with'), 'utf8').catch(() => undefined);
  return text?.trim();
}
