import type { ValidationIssue } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { createContext, useContext } from 'react';

/** The error of a form, and its problems by field. */
export interface FormError {
  readonly error: unknown;
  readonly problems: Readonly<Record<string, string>>;
}

const NO_ERROR: FormError = { error: undefined, problems: {} };

/** The error of the enclosing form. */
export const FormErrorContext = createContext<FormError>(NO_ERROR);

/** Returns the error of the enclosing form. */
export function useFormError(): FormError {
  return useContext(FormErrorContext);
}

/** Wraps the error of a submission with its problems by field. */
export function toFormError(error: unknown): FormError {
  return error === undefined || error === null ? NO_ERROR : { error, problems: fieldProblems(error) };
}

/**
 * Returns what a 422 answer says is wrong, by field of the request: `memory`, `volumes`, `schedule`…
 * The first issue of a field counts. An issue inside a field begins with its path within the field; the bare message is
 * under the whole path, e.g. `schedule.timezone`.
 * Empty for errors of other kinds. Source: docs/openapi.json, ValidationIssue.
 */
export function fieldProblems(error: unknown): Readonly<Record<string, string>> {
  const issues = BerthError.is(error) ? (error.details['issues'] as readonly ValidationIssue[] | undefined) : undefined;
  const problems: Record<string, string> = {};
  for (const { loc, msg } of issues ?? []) {
    const [, field = '', ...rest] = loc.map(String);
    problems[field] ??= rest.length === 0 ? msg : `${rest.join(' ')}: ${msg}`;
    if (rest.length > 0) problems[[field, ...rest].join('.')] ??= msg;
  }
  return problems;
}
