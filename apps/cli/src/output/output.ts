import type { Column } from './format-table.ts';
import type { Style } from './style.ts';

/**
 * The output of a command. Only the result goes to standard output; progress, warnings and errors go to standard error, so that
 * `URL=$(berth deploy)` is the URL.
 */
export interface Output {
  /** `--json`: the result is one JSON value a line, without messages. */
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Whether standard output (`result`) and standard error (`progress`) are terminals. */
  readonly isTerminal: { readonly result: boolean; readonly progress: boolean };
  /** Columns of the terminal that shows progress. */
  readonly columns: number;
  /** Style of standard output; plain without a terminal. */
  readonly style: Style;
  /** Style of standard error. */
  readonly progressStyle: Style;
  /** Prints a line of the result; nothing with `--json`. */
  print(line: string): void;
  /** Prints rows of the result in columns under headings; nothing with `--json`. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** Prints a value of the result with `--json`; nothing otherwise. */
  json(value: unknown): void;
  /** Prints a line of progress; nothing with `--json` and `--quiet`. */
  say(line: string): void;
  /** Shows a status line on a terminal, which the next line replaces. */
  showStatus(line: string): void;
  clearStatus(): void;
  /** Prints a warning, whose control sequences are removed: it may quote the name of a file. */
  warn(message: string): void;
  /** Prints why a command failed and what to do; JSON with `--json`. */
  fail(failure: Failure): void;
}

/** A failure to print. */
export interface Failure {
  /** Stable snake_case word. */
  readonly code: string;
  readonly message: string;
  /** Next steps, one per line. */
  readonly hints?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}
