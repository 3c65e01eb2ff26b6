import { VARIABLE_NAME_PATTERN } from '@berth/contract/service-environment';
import type { EnvFileVariable } from './parse-env-file.ts';

/** A row of the variables form, as typed. */
export interface VariableRow extends EnvFileVariable {
  /** The value is no secret: it can be read again. */
  readonly isPlain?: boolean;
}

/** Why a row can't be saved. */
export type RowProblem = 'nameInvalid' | 'nameRepeated' | 'nameMissing' | 'valueMissing';

/** A row without input. */
export const BLANK_ROW: VariableRow = { key: '', value: '' };

const isBlank = ({ key, value }: VariableRow) => key === '' && value === '';

/** Returns the rows with one for each name in `required`, which come first. There is at least one row. */
export function withRequired(rows: readonly VariableRow[], required: readonly string[]): readonly VariableRow[] {
  const first = required.map((key) => rows.find((row) => row.key === key) ?? { key, value: '' });
  const all = [...first, ...rows.filter((row) => !first.includes(row))];
  return all.length === 0 ? [BLANK_ROW] : all;
}

/** Returns the rows with `variables`: a row with the same name gets the new value, other variables get a new row. */
export function addVariables(rows: readonly VariableRow[], variables: readonly VariableRow[]): readonly VariableRow[] {
  const added = new Map(variables.map((variable) => [variable.key, variable]));
  const kept = rows.filter((row) => !isBlank(row)).map((row) => ({ ...row, ...added.get(row.key) }));
  return [...kept, ...variables.filter(({ key }) => !kept.some((row) => row.key === key))];
}

/** Returns why the row at `index` can't be saved; undefined if it can, or is blank. */
export function findRowProblem(
  rows: readonly VariableRow[],
  index: number,
  required: readonly string[] = [],
): RowProblem | undefined {
  const { key, value } = rows[index] ?? BLANK_ROW;
  if (key === '') return value === '' ? undefined : 'nameMissing';
  if (!VARIABLE_NAME_PATTERN.test(key)) return 'nameInvalid';
  if (rows.findIndex((row) => row.key === key) < index) return 'nameRepeated';
  return required.includes(key) && value === '' ? 'valueMissing' : undefined;
}

/** Returns the variables to set, by name. */
export function toVariables(rows: readonly VariableRow[]): Record<string, string> {
  return Object.fromEntries(rows.filter(({ key }) => key !== '').map(({ key, value }) => [key, value]));
}
