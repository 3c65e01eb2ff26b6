import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import type { CommandSandbox } from '@berth/runtime';
import type { Plan } from '../plan/plan.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/** Raised when what is kept, or how, changes: older entries are not found any more and fall out of the cache. */
const LAYOUT = 2;
const DAY_MS = 86_400_000;

export interface DependencyKeyOptions {
  readonly plan: Plan;
  readonly files: ProjectFiles;
  readonly sandbox: CommandSandbox;
  readonly operatorEnv: Readonly<Record<string, string>>;
  /** Wall time: without a lock file, what was installed is used for the rest of the day (UTC) and not longer. */
  readonly nowMs: number;
}

/** Hex hash of all that decides what the install steps make; undefined when the plan says that it can't be told. */
export async function computeDependencyKey(options: DependencyKeyOptions): Promise<string | undefined> {
  const { plan, files, sandbox, operatorEnv, nowMs } = options;
  const { dependencies, install } = plan;
  if (dependencies === null || install.length === 0) return undefined;
  const locks: (readonly [string, string | null])[] = [];
  for (const path of dependencies.lockFiles) locks.push([path, (await files.digest(path)) ?? null]);
  const programs = await Promise.all(plan.programs.map((name) => identifyProgram(sandbox, name)));
  const parts = {
    layout: LAYOUT,
    kind: plan.kind,
    install: install.map(({ argv }) => argv),
    env: [operatorEnv, plan.buildEnv],
    folders: dependencies.folders,
    locks,
    programs,
    machine: [process.platform, process.arch],
    day: dependencies.isPinned ? null : Math.floor(nowMs / DAY_MS),
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Which program it is: another version of it is another file. Asking each for its version would cost every build a process. */
async function identifyProgram(sandbox: CommandSandbox, name: string): Promise<readonly (string | number)[]> {
  const found = await sandbox.findProgram(name);
  if (found === undefined) return [name];
  const path = await realpath(found);
  const { size, mtimeMs } = await stat(path);
  return [name, path, size, mtimeMs];
}
