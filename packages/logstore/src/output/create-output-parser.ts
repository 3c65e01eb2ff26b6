import type { Clock } from '@berth/kit';
import type { LogInput, LogName } from '../entry/log-entry.ts';
import { createLineSplitter } from './line-splitter.ts';
import { type OutputStreamName, parseLine, parseTrace } from './parse-line.ts';
import { createQuietTimer } from './quiet-timer.ts';
import { leadingSeverity } from './severity-word.ts';
import { createTraceJoiner, type JoinedLine } from './trace-joiner.ts';

/** Bytes of the longest line that stays one entry; a longer one becomes several, labelled {@link PART_LABEL}. */
export const OUTPUT_LINE_BYTES = 262_144;

/** Label of an entry that is a part of a line: its place, from 1. */
export const PART_LABEL = 'line_part';

/** A line without an end becomes an entry when nothing has followed for this long: prompts and progress dots. */
const QUIET_MS = 500;

/** A line that a stack trace may follow waits for it this long: an entry is to be in a tail within 100 ms. */
const TRACE_WAIT_MS = 40;

export interface OutputParserOptions {
  /** Put into every entry. */
  readonly revision?: string;
  /** Put into every entry. */
  readonly instance?: string;
  /** Instead of the stream's own name. */
  readonly logName?: LogName;
  readonly clock: Clock;
  /** Takes what waited in vain: for the end of its line, or for a stack trace below it. */
  onQuiet(entries: LogInput[]): void;
}

/** Turns the output of one program into entries. */
export interface OutputParser {
  /** The entries of the lines that `chunk` ends, in order; a line that a stack trace may follow waits for the next. */
  push(stream: OutputStreamName, chunk: Uint8Array): LogInput[];
  /** Nothing is read of the program until the answer is called: what does not come meanwhile is not taken for the end of anything. */
  hold(): () => void;
  /** The entries of what still waits, when the program ended. */
  end(): LogInput[];
}

export function createOutputParser(options: OutputParserOptions): OutputParser {
  const { clock, onQuiet } = options;
  const streams = [createStream('stdout', options), createStream('stderr', options)] as const;
  const timers = [
    createQuietTimer(clock, QUIET_MS, () => handOut(streams.flatMap((stream) => stream.flush()))),
    createQuietTimer(clock, TRACE_WAIT_MS, () => handOut(streams.flatMap((stream) => stream.flushTrace()))),
  ] as const;
  let holds = 0;

  function arm({ hasPartial, isHoldingTrace }: OutputStream): void {
    if (hasPartial) timers[0].restart();
    if (isHoldingTrace) timers[1].restart();
  }

  function handOut(entries: LogInput[]): void {
    if (entries.length > 0) onQuiet(entries);
  }

  return {
    push(name, chunk) {
      const stream = streams[name === 'stdout' ? 0 : 1];
      const entries = stream.push(chunk);
      if (holds === 0) arm(stream);
      return entries;
    },
    hold() {
      holds++;
      for (const timer of timers) timer.cancel();
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds--;
        if (holds === 0) for (const stream of streams) arm(stream);
      };
    },
    end() {
      for (const timer of timers) timer.cancel();
      return streams.flatMap((stream) => stream.flush());
    },
  };
}

interface OutputStream {
  push(chunk: Uint8Array): LogInput[];
  /** All that waits. */
  flush(): LogInput[];
  /** The whole lines that wait, unless one has begun behind them: the program is not done. */
  flushTrace(): LogInput[];
  readonly hasPartial: boolean;
  readonly isHoldingTrace: boolean;
}

function createStream(stream: OutputStreamName, options: OutputParserOptions): OutputStream {
  const splitter = createLineSplitter(OUTPUT_LINE_BYTES);
  const joiner = createTraceJoiner(OUTPUT_LINE_BYTES);
  const { revision, instance, logName = stream } = options;
  const origin = {
    logName,
    ...(revision === undefined ? {} : { revision }),
    ...(instance === undefined ? {} : { instance }),
  };
  let severityOfLongLine = parseLine('', stream).severity;

  function toEntry({ text, part, isTrace }: JoinedLine): LogInput {
    if (isTrace) return { ...origin, ...parseTrace(text) };
    if (part === undefined) return { ...origin, ...parseLine(text, stream) };
    // Only its beginning tells the level of a long line; a cut JSON object is text.
    if (part === 1) severityOfLongLine = leadingSeverity(text) ?? parseLine('', stream).severity;
    return { ...origin, severity: severityOfLongLine, message: text, labels: { [PART_LABEL]: String(part) } };
  }

  return {
    push: (chunk) => joiner.push(splitter.push(chunk)).map(toEntry),
    flush: () => [...joiner.push(splitter.flush()), ...joiner.flush()].map(toEntry),
    flushTrace: () => (splitter.hasPartial ? [] : joiner.flush().map(toEntry)),
    get hasPartial() {
      return splitter.hasPartial;
    },
    get isHoldingTrace() {
      return joiner.isHolding;
    },
  };
}
