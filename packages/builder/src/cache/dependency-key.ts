import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import type { CommandSandbox } from '@berth/runtime';
import type { Plan } from '../plan/plan.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/**
 * Version of the cache layout. Increment when the cached content or its format changes; older entries then expire
 * unused.
 */
const LAYOUT = 2;
const DAY_MS = 86_400_000;

/** Options of {@link computeDependencyKey}. */
export interface DependencyKeyOptions {
  readonly plan: Plan;
  readonly files: ProjectFiles;
  readonly sandbox: CommandSandbox;
  readonly operatorEnv: Readonly<Record<string, string>>;
  /** Wall time. Without a lock file, cached dependencies are valid until the end of the day (UTC). */
  readonly nowMs: number;
}

/**
 * Returns a hex hash of everything that determines the result of the install steps; undefined if the plan can't name
 * all of it.
 */
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

/**
 * Identifies a program by path, size and modification time, which change with its version. Running each program for its
 * version would cost a process per build.
 */
async function identifyProgram(sandbox: CommandSandbox, name: string): Promise<readonly (string | number)[]> {
  const found = await sandbox.findProgram(name);
  if (found === undefined) return [name];
  const path = await realpath(found);
  const { size, mtimeMs } = await stat(path);
  return [name, path, size, mtimeMs];
}
