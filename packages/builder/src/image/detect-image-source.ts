import { parseBerthJson } from '../plan/berth-json.ts';
import { detectPlan, findContainerFile } from '../plan/detect-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { Programs } from '../plan/programs.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/** How a source tree becomes an image: by its own Dockerfile, or by one made from a plan. */
export type ImageRecipe =
  | { readonly kind: 'own'; readonly dockerfile: string; readonly text: string }
  | { readonly kind: 'generated'; readonly plan: Plan };

/**
 * A project's Dockerfile is how it is built, before a Procfile and all that is guessed; only a `berth.json` that says how to
 * start the service comes first, since it was written for Berth. Undefined when nothing is recognised.
 * @throws BerthError as {@link detectPlan}.
 */
export async function detectImageSource(files: ProjectFiles, programs: Programs): Promise<ImageRecipe | undefined> {
  const dockerfile = await findContainerFile(files);
  if (dockerfile !== undefined && !(await hasOwnStart(files))) {
    return { kind: 'own', dockerfile, text: (await files.readText(dockerfile)) ?? '' };
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
