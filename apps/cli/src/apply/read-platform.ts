import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type PlatformFile, readPlatformFile } from '@berth/contract';
import { parse, YAMLParseError } from 'yaml';
import { UsageError } from '../errors/usage-error.ts';

/** A `platform.yaml` with what it refers to. */
export interface Platform {
  readonly file: PlatformFile;
  /** Folder of the file, which its paths are relative to; absolute. */
  readonly folder: string;
  /** Finds the value of a variable: in the environment, or else in the file with variables. */
  findValue(key: string): string | undefined;
}

/** Reads a `platform.yaml` and its file with variables. @throws UsageError naming every fault */
export async function readPlatform(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Platform> {
  const folder = path.dirname(name);
  const read = readPlatformFile(parseYaml(await readText(name), name));
  if ('problem' in read) throw new UsageError(`${name} is not valid: ${read.problem}.`);
  const { file } = read;
  const values = parseEnv((await readVariables(folder, file.env_file)).replace(/^\uFEFF/, ''));
  return { file, folder, findValue: (key) => environment[key] ?? values[key] };
}

function parseYaml(text: string, name: string): unknown {
  try {
    return parse(text) ?? {};
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new UsageError(`${name} is not YAML: ${error.message}`);
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new UsageError(`${file} does not exist.`) : error;
  });
}

/** A file that is named has to exist; `.env` need not. */
async function readVariables(folder: string, named: string | undefined): Promise<string> {
  if (named !== undefined) return readText(path.resolve(folder, named));
  return readFile(path.join(folder, '.env'), 'utf8').catch(() => '');
}
