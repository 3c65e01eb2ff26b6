import createIgnore from '@balena/dockerignore';

/** Reports whether a path (relative, separated by `/`) is excluded from a build context. */
export type IsIgnored = (path: string) => boolean;

/** Parses a `.dockerignore`. The Dockerfile and the `.dockerignore` itself are always sent to the engine. */
export function parseDockerignore(text: string, dockerfile: string): IsIgnored {
  // Engines ignore a byte order mark.
  const rules = createIgnore.default({ ignorecase: false }).add(text.replace(/^\ufeff/, ''));
  return (path) => path !== dockerfile && path !== '.dockerignore' && rules.ignores(path);
}

/** Excludes whole folders. */
export function ignoreFolders(folders: readonly string[]): IsIgnored {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
