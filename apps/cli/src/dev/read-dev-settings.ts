import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { readProjectFile } from '../deploy/read-project-file.ts';
import { UsageError } from '../errors/usage-error.ts';

/** How `berth dev` runs a project. */
export interface DevSettings {
  readonly port: number | undefined;
  /** Whether an agent's page is opened in the browser. */
  readonly isOpened: boolean;
  /** Variables of `berth.json` and, above them, of the file with variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that a deploy requires. */
  readonly required: readonly string[];
}

const DEFAULT_ENV_FILE = '.env';

/**
 * Reads the settings of `berth dev` from a project's `berth.json` and its file with environment variables.
 * @throws UsageError naming every fault of `berth.json`, and a named file that does not exist
 */
export async function readDevSettings(folder: string): Promise<DevSettings> {
  const { dev = {}, required_env: required = [] } = await readProjectFile(folder);
  const name = dev.env_file ?? DEFAULT_ENV_FILE;
  const text = await readFile(path.join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    if (dev.env_file !== undefined) throw new UsageError(`berth.json: dev.env_file: ${name} does not exist.`);
    return '';
  });
  const fromFile = parseEnv(text.replace(/^\uFEFF/, '')) as Record<string, string>;
  return { port: dev.port, isOpened: dev.open ?? true, env: { ...dev.env, ...fromFile }, required };
}
