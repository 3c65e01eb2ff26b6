export { DEFAULT_PATTERNS, IGNORE_FILES, isAlwaysIgnored, VIRTUAL_ENVIRONMENT_MARK } from './always-ignored.ts';
export { heaviestPaths } from './heaviest-paths.ts';
export { createIgnoreRules, type IgnoreRules } from './ignore-rules.ts';
export { isSecretFile } from './is-secret-file.ts';
export type { PackEntry } from './pack-entry.ts';
export { packError } from './pack-error.ts';
export { toName } from './to-name.ts';
