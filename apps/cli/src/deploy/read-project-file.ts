import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type BerthJsonFile, readBerthJson } from '@berth/contract/berth-json';
import { UsageError } from '../errors/usage-error.ts';

/** Reads the `berth.json` of a folder; empty when there is none. @throws UsageError naming every fault */
export async function readProjectFile(folder: string): Promise<BerthJsonFile> {
  const file = path.join(folder, 'berth.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return {};
  const read = readBerthJson(text);
  if ('problem' in read) throw new UsageError(read.problem);
  return read.file;
}
