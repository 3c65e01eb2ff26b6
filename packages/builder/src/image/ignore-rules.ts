import createIgnore from '@balena/dockerignore';

/** Whether a path (relative, `/` between its parts) stays out of a context. */
export type IsIgnored = (path: string) => boolean;

/** What a `.dockerignore` leaves out; the Dockerfile itself and the `.dockerignore` always go to the engine. */
export function parseDockerignore(text: string, dockerfile: string): IsIgnored {
  // The engine reads the first line without its byte order mark.
  const rules = createIgnore.default({ ignorecase: false }).add(text.replace(/^\ufeff/, ''));
  return (path) => path !== dockerfile && path !== '.dockerignore' && rules.ignores(path);
}

/** Leaves out whole folders of a tree. */
export function ignoreFolders(folders: readonly string[]): IsIgnored {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
