import {
  changeSettings,
  createError,
  createValidationError,
  type DeploySettings,
  type FileSettings,
  parseDeployForm,
  readBerthJson,
  settingsOfFile,
  toSettingsChanges,
} from '@berth/contract';
import type { GitRepository } from '@berth/git';

/**
 * Returns the settings in a commit's `berth.json`; none when it has no such file.
 * @param folder of the project; null for the whole commit.
 * @throws `invalid` for a faulty `berth.json`
 */
export async function readFileSettings(
  repository: GitRepository,
  commit: string,
  folder: string | null = null,
): Promise<FileSettings> {
  const text = await readFile(repository, commit, folder === null ? 'berth.json' : `${folder}/berth.json`);
  if (text === undefined) return {};
  const read = readBerthJson(text);
  if ('problem' in read) throw createError('invalid', read.problem);
  return settingsOfFile(read.file);
}

/**
 * Returns the settings of a commit's deploy, as `berth deploy` chooses them: those of its `berth.json`, which override the deployed ones.
 * @param deployed those of the deployment; undefined for the defaults
 * @throws `invalid` naming all faults
 */
export function commitSettings(
  name: string,
  {
    deployed = defaultSettings(name),
    file,
  }: { readonly deployed?: DeploySettings | undefined; readonly file: FileSettings },
): DeploySettings {
  const changed = changeSettings({ ...deployed, name }, toSettingsChanges({ name, ...file }));
  if ('issues' in changed) throw createValidationError(changed.issues);
  return changed.settings;
}

/** Returns the settings of a deployment that names none. @throws `invalid` for a name that no deployment can have */
export function defaultSettings(name: string): DeploySettings {
  const form = parseDeployForm({ fields: { function_name: name, volumes: '{}' }, hasArchive: true });
  if ('issues' in form) throw createValidationError(form.issues);
  return form.settings;
}

/** Returns a text file of a commit; undefined when it has none, or something else under this path. */
async function readFile(repository: GitRepository, commit: string, path: string): Promise<string | undefined> {
  const [entry = ''] = await repository.run(['ls-tree', commit, '--', path]);
  const [, id] = /^100\d{3} blob ([0-9a-f]{40})\t/.exec(entry) ?? [];
  return id === undefined ? undefined : (await repository.run(['cat-file', 'blob', id])).join('\n');
}
