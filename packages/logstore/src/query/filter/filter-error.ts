/** A log filter that can't be read. The message says what was expected and ends with the column. */
export class FilterError extends Error {
  /** Where it goes wrong: characters (UTF-16 units) from the filter's start, from 1. */
  readonly column: number;

  constructor(problem: string, column: number) {
    super(`${problem}, at column ${column}`);
    this.name = 'FilterError';
    this.column = column;
  }
}

/** A piece of the filter as a message shows it. */
export function show(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
