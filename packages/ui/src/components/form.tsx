import { type ReactNode, useMemo } from 'react';
import { FormErrorContext, toFormError, useFormError } from '../forms/form-error.ts';
import { classNames } from './class-names.ts';
import { ErrorNote } from './error-note.tsx';

export interface FormProps {
  /** Called when the browser has found the fields complete (`required`, `minLength`, `type`…). */
  onSubmit(): void;
  /** Why the last submission was refused. {@link FormActions} shows it; a `Field` shows what it says of its `name`. */
  readonly error?: unknown;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form that sends its fields without leaving the page. */
export function Form({ onSubmit, error, className, children }: FormProps) {
  const value = useMemo(() => toFormError(error), [error]);
  return (
    <FormErrorContext value={value}>
      <form
        className={classNames('flex flex-col gap-4', className)}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
      </form>
    </FormErrorContext>
  );
}

export interface FormActionsProps {
  /** Fills the width of the form instead of standing at its end. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** The buttons of a form, and above them its error in the server's own sentence. */
export function FormActions({ isWide = false, children }: FormActionsProps) {
  const { error } = useFormError();
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      <div className={isWide ? 'grid gap-2' : 'flex flex-wrap justify-end gap-2'}>{children}</div>
    </>
  );
}
