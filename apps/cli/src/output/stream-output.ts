import { cleanText } from './clean-text.ts';
import { formatTable } from './format-table.ts';
import type { Failure, Output } from './output.ts';
import { createStyle } from './style.ts';

/** The part of a Node output stream that is used. */
export interface TextSink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Options of {@link createStreamOutput}. */
export interface StreamOutputOptions {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Whether each stream is colored. */
  readonly hasColor: { readonly stdout: boolean; readonly stderr: boolean };
  readonly hasUnicode: boolean;
}

/** Erases the line the cursor is in and goes to its start (ECMA-48 EL). */
const ERASE_LINE = '\r\x1b[2K';

/** Creates an {@link Output}. */
export function createStreamOutput(options: StreamOutputOptions): Output {
  const { stdout, stderr, isJson, isQuiet, hasUnicode } = options;
  const style = createStyle({ hasColor: options.hasColor.stdout, hasUnicode });
  const progressStyle = createStyle({ hasColor: options.hasColor.stderr, hasUnicode });
  const isTalking = !isJson && !isQuiet;
  const hasStatusLine = isTalking && stderr.isTTY === true;
  let status = '';

  // Both streams may be the same terminal, so the status line is cleared before any other line.
  const write = (sink: TextSink, line: string) => {
    const isOverStatus = status !== '' && sink.isTTY === true;
    if (isOverStatus) stderr.write(ERASE_LINE);
    sink.write(`${line}\n`);
    if (isOverStatus) stderr.write(status);
  };
  const print = (line: string) => {
    if (!isJson) write(stdout, line);
  };
  const clearStatus = () => {
    if (status !== '') stderr.write(ERASE_LINE);
    status = '';
  };

  return {
    isJson,
    isQuiet,
    isTerminal: { result: !isJson && stdout.isTTY === true, progress: hasStatusLine },
    get columns() {
      return stderr.columns ?? 80;
    },
    style,
    progressStyle,
    print,
    table: (rows, columns) => print(formatTable(rows, columns, style)),
    json: (value) => {
      if (isJson) write(stdout, JSON.stringify(value));
    },
    say: (line) => {
      if (isTalking) write(stderr, line);
    },
    showStatus: (line) => {
      if (!hasStatusLine || line === status) return;
      status = line;
      stderr.write(ERASE_LINE + line);
    },
    clearStatus,
    warn: (message) => write(stderr, `${progressStyle.yellow(progressStyle.signs.warning)} ${cleanText(message)}`),
    fail: (failure) => {
      clearStatus();
      write(stderr, isJson ? JSON.stringify({ error: toJson(failure) }) : renderFailure(failure));
    },
  };

  function renderFailure({ message, hints = [] }: Failure): string {
    const [first = '', ...rest] = message.split('\n');
    const lines = [`${progressStyle.red(progressStyle.signs.failed)} ${first}`, ...rest.map((line) => `  ${line}`)];
    return [...lines, ...hints.map((hint) => `  ${progressStyle.dim(hint)}`)].join('\n');
  }
}

function toJson({ code, message, details }: Failure): Record<string, unknown> {
  return { code, message, ...(details && Object.keys(details).length > 0 ? { details } : {}) };
}
