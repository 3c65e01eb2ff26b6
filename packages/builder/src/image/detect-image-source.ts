import { detectPlan, findContainerFile } from '../detect/detect-plan.ts';
import { parseBerthJson } from '../plan/berth-json.ts';
import type { Command } from '../plan/command.ts';
import type { Plan } from '../plan/plan.ts';
import { explainUnusedProcesses, parseProcfile } from '../plan/procfile.ts';
import type { Programs } from '../plan/programs.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/** The Dockerfile for a source tree: the project's own, or one generated from a plan. */
export type ImageRecipe =
  | {
      readonly kind: 'own';
      readonly dockerfile: string;
      readonly text: string;
      /** The release command of the Procfile, if there is one. */
      readonly release: Command | undefined;
      /** As in {@link Plan}. */
      readonly notices: readonly string[];
    }
  | { readonly kind: 'generated'; readonly plan: Plan };

/**
 * Detects how to build an image from a source tree; returns undefined if the project isn't recognized. A project's
 * Dockerfile takes precedence over its Procfile (whose release command still runs) and over detection. Only a
 * `berth.json` with a start command or a site takes precedence over the Dockerfile, since it was written for Berth.
 * @throws BerthError as {@link detectPlan}.
 */
export async function detectImageSource(files: ProjectFiles, programs: Programs): Promise<ImageRecipe | undefined> {
  const dockerfile = await findContainerFile(files);
  if (dockerfile !== undefined && !(await hasOwnStart(files))) {
    const lines = await files.readText('Procfile');
    const procfile = lines === undefined ? undefined : parseProcfile(lines);
    const unused = procfile && explainUnusedProcesses(procfile, `The ${dockerfile}`);
    return {
      kind: 'own',
      dockerfile,
      text: (await files.readText(dockerfile)) ?? '',
      release: procfile?.release,
      notices: unused === undefined ? [] : [unused],
    };
  }
  const plan = await detectPlan(files, programs);
  return plan && { kind: 'generated', plan };
}

async function hasOwnStart(files: ProjectFiles): Promise<boolean> {
  const source = await files.readText('berth.json');
  if (source === undefined) return false;
  const { start, site } = parseBerthJson(source);
  return start !== undefined || site !== undefined;
}
