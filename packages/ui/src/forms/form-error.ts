import { createContext, useContext } from 'react';
import { fieldProblems } from './field-problems.ts';

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
