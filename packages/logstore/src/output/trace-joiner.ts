import type { Line } from './line-splitter.ts';
import { startTrace, type TraceReader } from './stack-trace.ts';

/** A line, or the lines of a stack trace as one text. */
export interface JoinedLine extends Line {
  readonly isTrace?: boolean;
}

/** Joins the lines of a stack trace; every other line passes unchanged. Order is kept. */
export interface TraceJoiner {
  push(lines: readonly Line[]): JoinedLine[];
  /** Returns the lines that wait for the next one. */
  flush(): JoinedLine[];
  readonly isHolding: boolean;
}

/** A longer trace continues as another entry: infinite recursion prints one that long. */
const TRACE_LINES_MAX = 1_000;

/** Maximum undecided lines; no kind of trace needs more than four. */
const DOUBTFUL_MAX = 8;

/** Creates a joiner whose texts have at most `maxCharacters`, except for a single line. */
export function createTraceJoiner(maxCharacters: number): TraceJoiner {
  let reader: TraceReader | undefined;
  let joined: Line[] = [];
  /** Lines after {@link joined}; the next line decides whether they belong to it. */
  let doubtful: Line[] = [];
  let characters = 0;

  function take(): JoinedLine[] {
    const [first] = joined;
    const lines = joined;
    joined = [];
    characters = 0;
    if (!first || lines.length === 1) return lines;
    return [{ text: lines.map((line) => line.text).join('\n'), isTrace: true }];
  }

  function join(lines: readonly Line[]): void {
    joined.push(...lines);
    for (const line of lines) characters += line.text.length + 1;
  }

  function pushLine(line: Line, out: JoinedLine[]): void {
    if (!reader) {
      begin(line, out);
      return;
    }
    const step = line.part === undefined && doubtful.length < DOUBTFUL_MAX ? reader.step(line.text) : 'ends';
    if (step === 'maybe') doubtful.push(line);
    if (step === 'joins') {
      if (characters + line.text.length > maxCharacters || joined.length >= TRACE_LINES_MAX) out.push(...take());
      join([...doubtful, line]);
      doubtful = [];
    }
    if (step === 'ends') end(out, line);
  }

  function begin(line: Line, out: JoinedLine[]): void {
    reader = line.part === undefined ? startTrace(line.text) : undefined;
    if (reader) join([line]);
    else out.push(line);
  }

  /** Ends the trace. Undecided lines, and `next`, may begin another. */
  function end(out: JoinedLine[], ...next: readonly Line[]): void {
    out.push(...take());
    const again = [...doubtful, ...next];
    doubtful = [];
    reader = undefined;
    for (const line of again) pushLine(line, out);
  }

  return {
    push(lines) {
      const out: JoinedLine[] = [];
      for (const line of lines) pushLine(line, out);
      return out;
    },
    flush() {
      const out: JoinedLine[] = [];
      while (reader) end(out);
      return out;
    },
    get isHolding() {
      return reader !== undefined;
    },
  };
}
