import { createDraft, type PlanDraft } from '../plan/plan.ts';
import type { ProjectFiles } from '../plan/project-files.ts';

/** Where an index.html makes a site that is already built. */
const SOURCE_FOLDERS = ['.', 'dist', 'public', 'build', 'out'];

/**
 * Where builds put a site; `public` last, because several tools have their template there.
 * Angular makes `dist/<name>/browser`, Nuxt and SvelteKit as below, Eleventy and Jekyll `_site`.
 */
const OUTPUT_FOLDERS = ['dist', 'build', 'out', '.output/public', '_site', 'public'];

/** A tree with an `index.html` and nothing to run. */
export async function detectStatic(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const folder = await findPage(files, SOURCE_FOLDERS);
  if (folder === undefined) return undefined;
  return createDraft('static', 'a static site', { programs: ['node'], site: { folder, isSinglePage: false } });
}

/** The folder below the project that a build made a site in; undefined when there is none. */
export async function findBuiltSite(files: ProjectFiles): Promise<string | undefined> {
  const deeper = (await files.list('dist'))
    .filter((name) => name.endsWith('/'))
    .flatMap((name) => [`dist/${name.slice(0, -1)}`, `dist/${name}browser`]);
  return findPage(files, [...OUTPUT_FOLDERS.slice(0, 1), ...deeper, ...OUTPUT_FOLDERS.slice(1)]);
}

async function findPage(files: ProjectFiles, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    if ((await files.kindOf(folder === '.' ? 'index.html' : `${folder}/index.html`)) === 'file') return folder;
  }
  return undefined;
}
