import {
  changeSettings,
  createError,
  createValidationError,
  type DeploySettings,
  parseDeployForm,
  readBerthJson,
  settingsOfFile,
  toSettingsChanges,
} from '@berth/contract';
import type { GitRepository } from '@berth/git';

/**
 * Returns the settings of a commit's deploy, as `berth deploy` chooses them: those of its `berth.json`, which override the deployed ones.
 * @param deployed those of the deployment; undefined for the defaults
 * @throws `invalid` for a faulty `berth.json`
 */
export async function readCommitSettings(
  repository: GitRepository,
  {
    commit,
    name,
    deployed,
  }: { readonly commit: string; readonly name: string; readonly deployed: DeploySettings | undefined },
): Promise<DeploySettings> {
  const base = deployed ?? defaultSettings(name);
  const text = await readFile(repository, commit, 'berth.json');
  if (text === undefined) return base;
  const read = readBerthJson(text);
  if ('problem' in read) throw createError('invalid', read.problem);
  const changed = changeSettings(base, toSettingsChanges({ name, ...settingsOfFile(read.file) }));
  if ('issues' in changed) throw createValidationError(changed.issues);
  return changed.settings;
}

function defaultSettings(name: string): DeploySettings {
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
