import { createError } from '@berth/contract';
import { expandCommand } from '@berth/runtime';
import { resolveCommand } from './build/resolve-command.ts';
import { detectPlan, LOOKED_FOR } from './detect/detect-plan.ts';
import type { HasProgram } from './plan/programs.ts';
import { createFolderFiles } from './plan/project-files.ts';

/** How a project is started where it lies, without a build. */
export interface LocalStart {
  /** e.g. `Node.js (npm)`. */
  readonly title: string;
  /** As people are shown it. */
  readonly command: string;
  readonly argv: readonly string[];
  /** Command lines that install what it needs, as people would type them; empty when what they make is there. */
  readonly missing: readonly string[];
}

/**
 * What a deployment of `folder` would start, on this machine with `env`.
 * @throws BerthError `build_failed` when nothing says how it is started, or when it is a site of files.
 */
export async function findLocalStart(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  hasProgram: HasProgram,
): Promise<LocalStart> {
  const files = createFolderFiles(folder);
  // Where the developer starts it, it runs on what the developer has: nothing is fetched for its versions.
  const programs = {
    has: hasProgram,
    versionOf: async () => undefined,
    platform: `${process.platform}-${process.arch}`,
  };
  const plan = await detectPlan(files, programs);
  if (plan === undefined) throw createError('build_failed', `Nothing says how to start it. Looked for: ${LOOKED_FOR}.`);
  if (plan.start === null) {
    throw createError('build_failed', 'It is a site of files, which any static server shows: try "npx serve".');
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
