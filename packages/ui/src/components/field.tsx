import { Field as Base } from '@base-ui/react/field';
import type { ComponentProps } from 'react';
import { useFormError } from '../forms/form-error.ts';
import { classNames } from './class-names.ts';

export interface FieldProps
  extends Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'size' | 'defaultValue' | 'ref'> {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
  /** Help text, always visible. */
  readonly hint?: string | undefined;
  /** Problem with the value, announced when it appears. Defaults to what the form's error says about `name`. */
  readonly problem?: string | undefined;
  /** True when only screen readers get the label. */
  readonly isLabelHidden?: boolean;
}

/** Class names of all text inputs. */
export const INPUT_CLASS =
  'h-8 w-full rounded-md border border-line-strong bg-raised px-2.5 text-start transition-colors max-sm:h-11 max-sm:text-base not-disabled:hover:border-ink-soft focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad disabled:opacity-60';

/** A text input with its label, hint and problem. */
export function Field({
  label,
  value,
  onChange,
  hint,
  problem: given,
  isLabelHidden,
  className,
  ...input
}: FieldProps) {
  const { problems } = useFormError();
  const problem = given ?? (input.name === undefined ? undefined : problems[input.name]);
  return (
    <Base.Root invalid={problem !== undefined} className={classNames('flex flex-col gap-1', className)}>
      <Base.Label className={isLabelHidden ? 'sr-only' : 'font-medium'}>{label}</Base.Label>
      <Base.Control {...input} value={value} onValueChange={onChange} className={INPUT_CLASS} />
      {hint !== undefined && <Base.Description className="text-xs text-ink-soft">{hint}</Base.Description>}
      <Base.Error match={problem !== undefined} role="alert" className="text-xs text-bad">
        {problem}
      </Base.Error>
    </Base.Root>
  );
}
