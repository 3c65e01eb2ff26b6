import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import { writePrivateFile } from '@berth/kit/node';

/** The stored entry for one server. */
export interface StoredCredential {
  readonly key?: string;
  /** A session's token, valid for at most a day. */
  readonly bearer?: string;
}

/** Credentials stored by `berth login`, by normalized server URL. */
export interface StoredConfig {
  /** The default server. */
  readonly current?: string;
  readonly servers: Readonly<Record<string, StoredCredential>>;
}

/** The store of {@link StoredConfig}. */
export type ConfigStore = ReturnType<typeof createFileConfigStore>;

/** Creates a store in a JSON file of mode 0600, replaced by rename so that it is never half-written. */
export function createFileConfigStore(file: string) {
  return {
    path: file,
    /** Reads the file; empty when there is none. @throws BerthError `bad_request` when the file has another format */
    async read(): Promise<StoredConfig> {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
        throw unreadable(file, error);
      });
      return text === undefined ? { servers: {} } : parse(text, file);
    },
    /** Replaces the file atomically, readable only by its owner. */
    async write(config: StoredConfig): Promise<void> {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writePrivateFile(file, `${JSON.stringify(config, undefined, 2)}\n`);
    },
  };
}

function parse(text: string, file: string): StoredConfig {
  try {
    const value: unknown = JSON.parse(text);
    if (isConfig(value)) return value;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw unreadable(file, undefined);
}

function isConfig(value: unknown): value is StoredConfig {
  if (!isRecord(value) || !isRecord(value['servers']) || !isOptionalText(value['current'])) return false;
  const isStored = (one: unknown) => isRecord(one) && isOptionalText(one['key']) && isOptionalText(one['bearer']);
  return Object.values(value['servers']).every(isStored);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function unreadable(file: string, cause: unknown): BerthError {
  const message = `${file} can't be read. Repair it, or delete it and run \`berth login\` again.`;
  return createError('bad_request', message, { cause });
}
