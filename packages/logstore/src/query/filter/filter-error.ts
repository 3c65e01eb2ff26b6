/** A syntax error in a log filter. The message says what was expected, and ends with the column. */
export class FilterError extends Error {
  /** Position of the error in characters (UTF-16 units), from 1. */
  readonly column: number;

  constructor(problem: string, column: number) {
    super(`${problem}, at column ${column}`);
    this.name = 'FilterError';
    this.column = column;
  }
}

/** Returns a piece of the filter as error messages quote it. */
export function show(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
