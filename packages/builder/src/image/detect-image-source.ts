import { detectPlan, findContainerFile } from '../detect/detect-plan.ts';
import { parseBerthJson } from '../plan/berth-json.ts';
import type { Command } from '../plan/command.ts';
import type { Plan } from '../plan/plan.ts';
import { explainUnusedProcesses, parseProcfile } from '../plan/procfile.ts';
import type { Programs } from '../plan/programs.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/** How a source tree becomes an image: by its own Dockerfile, or by one made from a plan. */
export type ImageRecipe =
  | {
      readonly kind: 'own';
      readonly dockerfile: string;
      readonly text: string;
      /** Of the Procfile beside it. */
      readonly release: Command | undefined;
      /** As of {@link Plan}. */
      readonly notices: readonly string[];
    }
  | { readonly kind: 'generated'; readonly plan: Plan };

/**
 * A project's Dockerfile is how it is built and started, before a Procfile (whose release command runs all the same) and all that is guessed; only a `berth.json` that says how to
 * start the service comes first, since it was written for Berth. Undefined when nothing is recognised.
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
