/** The pattern of a deployment's name, which is a DNS label. Source: docs/contract/control-plane.md §2. */
export const DEPLOYMENT_NAME_PATTERN = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Names reserved for the platform's own hosts. The operator may reserve more. */
export const RESERVED_NAMES: readonly string[] = ['api', 'console', 'storage', 'www', 'admin', 'static'];

/** Returns why `name` can't be a deployment's name, as a sentence; undefined when it is valid. */
export function deploymentNameProblem(name: string, extraReserved: readonly string[] = []): string | undefined {
  if (name === '') return 'The name is empty.';
  if (name.length > 63) return `The name has ${name.length} characters; 63 are allowed.`;
  if (/[A-Z]/.test(name)) return 'The name has upper-case letters; use a-z, 0-9 and "-".';
  if (!DEPLOYMENT_NAME_PATTERN.test(name)) {
    return 'The name must start with a letter, end with a letter or digit, and hold only a-z, 0-9 and "-".';
  }
  if (name.includes('---'))
    return 'The name contains "---", which separates a tag from a name in addresses; use fewer dashes.';
  if (RESERVED_NAMES.includes(name) || extraReserved.includes(name)) return `"${name}" is reserved by the platform.`;
  return undefined;
}
