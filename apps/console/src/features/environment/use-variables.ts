import { useState } from 'react';
import { addVariables, findRowProblem, toVariables, type VariableRow, withRequired } from './variable-rows.ts';

/** Variables that are being typed, for a `VariablesEditor`. */
export interface VariablesDraft {
  readonly rows: readonly VariableRow[];
  /** Names that must have a value; they can't be renamed or removed. */
  readonly required: readonly string[];
  /** Typed variables, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** As `POST /v1/env/set` takes them. */
  readonly change: { readonly set: Record<string, string>; readonly plain?: string[] };
  /** Whether anything has been typed. */
  readonly isDirty: boolean;
  /** Whether each row can be saved and each required variable has a value. */
  readonly isValid: boolean;
  setRows(rows: readonly VariableRow[]): void;
  /** Adds variables, or replaces the values of those that have a row. */
  add(variables: readonly VariableRow[]): void;
  /** Removes everything that was typed. */
  clear(): void;
}

/** Returns a draft of variables. The rows of `required` come first; without any, there is one blank row. */
export function useVariables(required: readonly string[] = []): VariablesDraft {
  const [typed, setTyped] = useState<readonly VariableRow[]>([]);
  const rows = withRequired(typed, required);
  const plain = rows.filter(({ key, isPlain }) => isPlain && key !== '').map(({ key }) => key);
  return {
    rows,
    required,
    values: toVariables(rows),
    change: { set: toVariables(rows), ...(plain.length === 0 ? {} : { plain }) },
    isDirty: rows.some(({ key, value }) => value !== '' || (key !== '' && !required.includes(key))),
    isValid: rows.every((_, index) => findRowProblem(rows, index, required) === undefined),
    setRows: setTyped,
    add: (variables) => setTyped((now) => addVariables(withRequired(now, required), variables)),
    clear: () => setTyped([]),
  };
}
