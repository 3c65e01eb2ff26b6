import { LIMITS, VARIABLE_NAME_PATTERN, type ValidationIssue } from '@berth/contract';

/** A change of environment variables, as in `POST /v1/env/set`. */
export interface EnvironmentChange {
  readonly set: ReadonlyMap<string, string>;
  readonly unset: readonly string[];
  /** Those of `set` whose values may be read again. */
  readonly plain: ReadonlySet<string>;
}

/**
 * Returns the issues of a change that don't depend on the current environment.
 * @param platformNames names reserved for the platform.
 */
export function environmentChangeIssues(
  change: EnvironmentChange,
  platformNames: ReadonlySet<string>,
): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const [key, value] of change.set) {
    const fault = (msg: string, type: string) => issues.push({ loc: ['body', 'set', key], msg, type });
    if (!VARIABLE_NAME_PATTERN.test(key))
      fault('a key must have only letters, digits and "_", and must not start with a digit', 'env_key_invalid');
    else if (platformNames.has(key)) fault(`${key} is set by the platform and can't be overridden`, 'env_key_reserved');
    // The kernel ends a variable at a NUL, so the rest would be lost silently.
    if (value.includes('\0')) fault('a value cannot hold NUL', 'env_value_invalid');
  }
  change.unset.forEach((key, index) => {
    if (change.set.has(key)) {
      issues.push({ loc: ['body', 'unset', index], msg: `${key} is also in set`, type: 'env_key_contradiction' });
    }
  });
  for (const key of change.plain) {
    if (!change.set.has(key))
      issues.push({ loc: ['body', 'plain'], msg: `${key} is not in set`, type: 'env_key_unknown' });
  }
  return issues;
}

/** Returns an issue when the environment is too large; none when it fits. */
export function environmentSizeIssues(environment: ReadonlyMap<string, { readonly value: string }>): ValidationIssue[] {
  let bytes = 0;
  for (const [key, { value }] of environment) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes <= LIMITS.environmentBytes) return [];
  const msg = `the environment would have ${bytes} bytes in all; ${LIMITS.environmentBytes} are allowed`;
  return [{ loc: ['body', 'set'], msg, type: 'env_too_large' }];
}
