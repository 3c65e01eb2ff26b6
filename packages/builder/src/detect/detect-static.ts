import { createDraft, type PlanDraft } from '../plan/plan.ts';
import { findFile, type ProjectFiles } from '../plan/project-files.ts';

/** Folders in which an index.html means a site that is already built. */
const SOURCE_FOLDERS = ['.', 'dist', 'public', 'build', 'out'];

/**
 * Output folders of site builds. `public` is last, because several tools keep their template there. Angular uses
 * `dist/<name>/browser`, Nuxt and SvelteKit as below, Eleventy and Jekyll `_site`.
 */
const OUTPUT_FOLDERS = ['dist', 'build', 'out', '.output/public', '_site', 'public'];

/** Detects a static site: a tree with an `index.html` and no program. */
export async function detectStatic(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const folder = await findPage(files, SOURCE_FOLDERS);
  if (folder === undefined) return undefined;
  return createDraft('static', 'a static site', { programs: ['node'], site: { folder, isSinglePage: false } });
}

/** Returns the project's folder that contains the built site; undefined if there is none. */
export async function findBuiltSite(files: ProjectFiles): Promise<string | undefined> {
  const deeper = (await files.list('dist'))
    .filter((name) => name.endsWith('/'))
    .flatMap((name) => [`dist/${name.slice(0, -1)}`, `dist/${name}browser`]);
  return findPage(files, [...OUTPUT_FOLDERS.slice(0, 1), ...deeper, ...OUTPUT_FOLDERS.slice(1)]);
}

async function findPage(files: ProjectFiles, folders: readonly string[]): Promise<string | undefined> {
  const pages = folders.map((folder) => (folder === '.' ? 'index.html' : `${folder}/index.html`));
  const page = await findFile(files, pages);
  return page === undefined ? undefined : folders[pages.indexOf(page)];
}
