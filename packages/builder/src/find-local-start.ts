import { createError } from '@berth/contract';
import { expandCommand } from '@berth/runtime';
import { resolveCommand } from './build/resolve-command.ts';
import { detectPlan, LOOKED_FOR } from './detect/detect-plan.ts';
import type { HasProgram } from './plan/programs.ts';
import { createFolderFiles } from './plan/project-files.ts';

/** The command that starts a project in place, without a build. */
export interface LocalStart {
  /** The kind of project, e.g. `Node.js (npm)`. */
  readonly title: string;
  /** The command for display. */
  readonly command: string;
  readonly argv: readonly string[];
  /** Command lines that install the missing dependencies; empty if these are installed. */
  readonly missing: readonly string[];
}

/**
 * Returns the command that a deployment of `folder` would run, for this machine and `env`.
 * @throws BerthError `build_failed` if the start command can't be determined, or if the project is a static site.
 */
export async function findLocalStart(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  hasProgram: HasProgram,
): Promise<LocalStart> {
  const files = createFolderFiles(folder);
  // A local start uses the developer's programs, so no other versions are fetched.
  const programs = {
    has: hasProgram,
    versionOf: async () => undefined,
    platform: `${process.platform}-${process.arch}`,
  };
  const plan = await detectPlan(files, programs);
  if (plan === undefined) throw createError('build_failed', `No start command was found. Looked for: ${LOOKED_FOR}.`);
  if (plan.start === null) {
    throw createError('build_failed', 'This is a static site: serve it with "npx serve".');
  }
  const made = await Promise.all((plan.dependencies?.folders ?? []).map((one) => files.kindOf(one)));
  const isInstalled = plan.install.length === 0 || made.includes('folder');
  return {
    title: plan.title,
    command: plan.start.title,
    argv: expandCommand(await resolveCommand(plan.start, folder, plan), { ...plan.env, ...env }),
    missing: isInstalled ? [] : plan.install.map(({ title }) => title),
  };
}
