import type { FileSettings } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { CollectedEntry } from './collect-source.ts';

/** Contents of a source's `berth.json`. */
export interface ProjectFile {
  readonly name?: string | undefined;
  readonly settings: FileSettings;
  /** Variables that must be set before the deploy. */
  readonly requiredEnv: readonly string[];
}

/**
 * Returns the contents of a source's `berth.json`; empty if there is none. @throws `invalid`, listing every error in
 * the file
 */
export async function readProjectFile(entries: readonly CollectedEntry[]): Promise<ProjectFile> {
  const found = entries.find(({ path }) => path === 'berth.json');
  if (found?.kind !== 'file') return { settings: {}, requiredEnv: [] };
  // The schema is loaded on demand, because it is larger than the rest of the form.
  const { readBerthJson, settingsOfFile } = await import('@berth/contract/berth-json');
  const read = readBerthJson(await found.blob.text());
  if ('problem' in read) throw new BerthError({ code: 'invalid', status: 422, message: read.problem });
  const { name, required_env: requiredEnv = [] } = read.file;
  return { name, settings: settingsOfFile(read.file), requiredEnv };
}
