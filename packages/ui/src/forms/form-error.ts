import { createContext, useContext } from 'react';
import { fieldProblems } from './field-problems.ts';

/** The error of the form around a field, and what it says of each field. */
export interface FormError {
  readonly error: unknown;
  readonly problems: Readonly<Record<string, string>>;
}

const NO_ERROR: FormError = { error: undefined, problems: {} };

/** The error of the form that is rendered around it; none outside of a form. */
export const FormErrorContext = createContext<FormError>(NO_ERROR);

/** Reads the error of the form around the caller. */
export function useFormError(): FormError {
  return useContext(FormErrorContext);
}

/** The error of a form, with its problems by field. */
export function toFormError(error: unknown): FormError {
  return error === undefined || error === null ? NO_ERROR : { error, problems: fieldProblems(error) };
}
