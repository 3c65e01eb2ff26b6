import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import type { ConfigStore, StoredConfig } from './config-store.ts';

/** {@link ConfigStore} in a JSON file of mode 0600, replaced by rename so that it is never half-written. */
export function createFileConfigStore(file: string): ConfigStore {
  return {
    path: file,
    async read() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
        throw unreadable(file, error);
      });
      return text === undefined ? { servers: {} } : parse(text, file);
    },
    async write(config) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${randomBytes(6).toString('hex')}`;
      try {
        const handle = await open(draft, 'wx', 0o600);
        await handle.writeFile(`${JSON.stringify(config, undefined, 2)}\n`);
        await handle.sync();
        await handle.close();
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

function parse(text: string, file: string): StoredConfig {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'servers' in value && typeof value.servers === 'object') {
      return value as StoredConfig;
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  throw unreadable(file, undefined);
}

function unreadable(file: string, cause: unknown): BerthError {
  const message = `${file} can't be read. Repair it, or delete it and run \`berth login\` again.`;
  return createError('bad_request', message, { cause });
}
