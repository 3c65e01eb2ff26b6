import type { Style } from './style.ts';

/**
 * Where a command's words go. The result goes to standard output, and alone: progress, warnings and errors go to
 * standard error, so that `URL=$(berth deploy)` is the URL.
 */
export interface Output {
  /** `--json`: the result is one JSON value a line, and nothing is said for people. */
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Whether a person looks at standard output, or at standard error. */
  readonly isTerminal: { readonly result: boolean; readonly progress: boolean };
  /** Columns of the terminal that shows progress. */
  readonly columns: number;
  /** Colours of standard output, none where it is not a terminal. */
  readonly style: Style;
  /** Colours of standard error. */
  readonly progressStyle: Style;
  /** A line of the result for people; nothing under `--json`. */
  print(line: string): void;
  /** A value of the result under `--json`; nothing otherwise. */
  json(value: unknown): void;
  /** A line of progress; nothing under `--json` and `--quiet`. */
  say(line: string): void;
  /** A line that only a terminal is worth: the next one replaces it. */
  showStatus(line: string): void;
  clearStatus(): void;
  warn(message: string): void;
  /** The reason a command failed, with what to do about it; JSON under `--json`. */
  fail(failure: Failure): void;
}

/** A failure as it is shown. */
export interface Failure {
  /** Stable snake_case word. */
  readonly code: string;
  readonly message: string;
  /** What to do, one a line. */
  readonly hints?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}
