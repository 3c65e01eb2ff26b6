import type { ValidationIssue } from '@berth/contract';
import { BerthError } from '@berth/kit';

/**
 * Returns what a 422 answer says is wrong, by field of the request: `memory`, `volumes`, `schedule`…
 * The first issue of a field counts. An issue inside a field begins with its path within the field.
 * Empty for errors of other kinds. Source: docs/openapi.json, ValidationIssue.
 */
export function fieldProblems(error: unknown): Readonly<Record<string, string>> {
  const issues = BerthError.is(error) ? (error.details['issues'] as readonly ValidationIssue[] | undefined) : undefined;
  const problems: Record<string, string> = {};
  for (const { loc, msg } of issues ?? []) {
    const [, field = '', ...rest] = loc.map(String);
    problems[field] ??= rest.length === 0 ? msg : `${rest.join(' ')}: ${msg}`;
  }
  return problems;
}
