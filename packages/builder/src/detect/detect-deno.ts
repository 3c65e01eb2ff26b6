import { type Command, createCommand } from '../plan/command.ts';
import { createDraft, type PlanDraft } from '../plan/plan.ts';
import { findFile, type ProjectFiles } from '../plan/project-files.ts';

const ENTRY_FILES = ['main.ts', 'server.ts', 'mod.ts', 'index.ts', 'src/main.ts', 'main.js', 'server.js'];

/** Detects a Deno project: deno.json or deno.jsonc, started by its `start` task, otherwise by its main file. */
export async function detectDeno(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const source = (await files.readText('deno.json')) ?? (await files.readText('deno.jsonc'));
  if (source === undefined) return undefined;
  const entry = await findFile(files, ENTRY_FILES);
  const hasTask = namesStartTask(source);
  let start: Command | null = null;
  if (hasTask) start = createCommand('deno', 'task', 'start');
  // The sandbox already confines the program, and a set of Deno permissions would be a guess.
  else if (entry !== undefined) start = createCommand('deno', 'run', '--allow-all', '--cached-only', entry);
  return createDraft('deno', 'Deno', {
    programs: ['deno'],
    // Without a known main file, only the imports of deno.json are known (Deno 2).
    install: [entry === undefined ? createCommand('deno', 'install') : createCommand('deno', 'cache', entry)],
    start,
    // Inside the artifact, so that the running service finds the build's downloads.
    env: { DENO_DIR: '.berth/deno', DENO_NO_UPDATE_CHECK: '1' },
    buildEnv: { DENO_DIR: '.berth/deno', DENO_NO_UPDATE_CHECK: '1' },
    sharedFolders: ['node_modules'],
    binFolders: ['node_modules/.bin'],
    whyNoStart: `deno.json has no "start" task, and the project has none of ${ENTRY_FILES.join(', ')}.`,
  });
}

/**
 * Reports whether a `start` task exists. The file may contain comments and is then not valid JSON, so only the key is
 * searched for.
 */
function namesStartTask(source: string): boolean {
  const tasks = source.search(/"tasks"\s*:\s*\{/);
  if (tasks < 0) return false;
  const end = source.indexOf('}', tasks);
  return /"start"\s*:/.test(source.slice(tasks, end < 0 ? undefined : end));
}
