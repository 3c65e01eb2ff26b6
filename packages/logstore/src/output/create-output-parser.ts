import type { Clock, Timer } from '@berth/kit';
import type { LogInput, LogName } from '../entry/log-entry.ts';
import { createLineSplitter } from './line-splitter.ts';
import { type OutputStreamName, parseLine, parseTrace } from './parse-line.ts';
import { leadingSeverity } from './severity-word.ts';
import { createTraceJoiner, type JoinedLine } from './trace-joiner.ts';

/** Maximum bytes of a line that becomes one entry; a longer one becomes several, labeled {@link PART_LABEL}. */
export const OUTPUT_LINE_BYTES = 262_144;

/** Label of an entry that is part of a line: its number, from 1. */
export const PART_LABEL = 'line_part';

/** A line without an end becomes an entry after this long without output: prompts and progress dots. */
const QUIET_MS = 500;

/** How long a line that may begin a stack trace waits for the next: entries should reach a tail within 100 ms. */
const TRACE_WAIT_MS = 40;

export interface OutputParserOptions {
  /** Set on every entry. */
  readonly revision?: string;
  /** Set on every entry. */
  readonly instance?: string;
  /** Default: the stream's name. */
  readonly logName?: LogName;
  readonly clock: Clock;
  /** Receives entries that waited in vain for the end of their line, or for a stack trace. */
  onQuiet(entries: LogInput[]): void;
}

/** Turns the output of one program into entries. */
export interface OutputParser {
  /**
   * Returns the entries of the lines that `chunk` completes, in order. A line that may begin a stack trace waits for
   * the next.
   */
  push(stream: OutputStreamName, chunk: Uint8Array): LogInput[];
  /**
   * Stops the timers until the returned function is called: while nothing is read from the program, silence doesn't end
   * a line.
   */
  hold(): () => void;
  /** True while something of a line or of a stack trace waits. */
  readonly isWaiting: boolean;
  /** Returns the entries of everything that still waits. Call it when the program has ended. */
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
    get isWaiting() {
      return streams.some(({ hasPartial, isHoldingTrace }) => hasPartial || isHoldingTrace);
    },
    end() {
      for (const timer of timers) timer.cancel();
      return streams.flatMap((stream) => stream.flush());
    },
  };
}

interface OutputStream {
  push(chunk: Uint8Array): LogInput[];
  /** Returns everything that waits. */
  flush(): LogInput[];
  /** Returns the complete lines that wait, unless another line has begun: then the program is still writing. */
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
    // Only the beginning of a long line tells its level. A truncated JSON object is text.
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

/** A timer this late means that the event loop was blocked, and output may be waiting to be read. */
const LATE_MS = 5;

/**
 * Creates a timer that calls back when it was not restarted for a time, and is cheap to restart for every chunk: when
 * due, it checks the clock and waits for the rest. When it is late, pending output is read first.
 */
function createQuietTimer(clock: Clock, quietMs: number, onQuiet: () => void) {
  let timer: Timer | undefined;
  let restartedMs = 0;

  function wait(delayMs: number, hasLooked = false): void {
    timer = clock.setTimer(delayMs, () => {
      timer = undefined;
      const leftMs = restartedMs + quietMs - clock.monotonicMs();
      if (leftMs > 0) wait(leftMs);
      else if (leftMs < -LATE_MS && !hasLooked) wait(1, true);
      else onQuiet();
    });
  }

  return {
    restart() {
      restartedMs = clock.monotonicMs();
      if (!timer) wait(quietMs);
    },
    cancel() {
      timer?.cancel();
      timer = undefined;
    },
  };
}
