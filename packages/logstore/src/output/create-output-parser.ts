import type { Clock, Timer } from '@berth/kit';
import type { LogInput, LogName } from '../log-store.ts';
import { createLineSplitter, type Line } from './line-splitter.ts';
import { type OutputStreamName, parseLine } from './parse-line.ts';
import { leadingSeverity } from './severity-word.ts';

/** Bytes of the longest line that stays one entry; a longer one becomes several, labelled {@link PART_LABEL}. */
export const OUTPUT_LINE_BYTES = 262_144;

/** Label of an entry that is a part of a line: its place, from 1. */
export const PART_LABEL = 'line_part';

/** A line without an end becomes an entry when nothing has followed for this long: prompts and progress dots. */
const QUIET_MS = 500;

export interface OutputParserOptions {
  /** Put into every entry. */
  readonly revision?: string;
  /** Put into every entry. */
  readonly instance?: string;
  /** Instead of the stream's own name. */
  readonly logName?: LogName;
  readonly clock: Clock;
  /** Takes the line that stayed without an end, {@link QUIET_MS} after its last byte. */
  onQuiet(entries: LogInput[]): void;
}

/** Turns the output of one program into entries. */
export interface OutputParser {
  /** The entries of the lines that `chunk` ends, in order. */
  push(stream: OutputStreamName, chunk: Uint8Array): LogInput[];
  /** The entries of what has no line end, when the program ended. */
  end(): LogInput[];
}

export function createOutputParser(options: OutputParserOptions): OutputParser {
  const { clock, onQuiet } = options;
  const streams = { stdout: createStream('stdout', options), stderr: createStream('stderr', options) };
  let timer: Timer | undefined;
  let lastPushMs = 0;

  function flushAll(): LogInput[] {
    return [...streams.stdout.flush(), ...streams.stderr.flush()];
  }

  function waitForQuiet(delayMs: number): void {
    timer = clock.setTimer(delayMs, () => {
      timer = undefined;
      const leftMs = lastPushMs + QUIET_MS - clock.monotonicMs();
      if (leftMs > 0) return waitForQuiet(leftMs);
      const entries = flushAll();
      if (entries.length > 0) onQuiet(entries);
    });
  }

  return {
    push(stream, chunk) {
      const entries = streams[stream].push(chunk);
      if (streams[stream].hasPartial) {
        lastPushMs = clock.monotonicMs();
        if (!timer) waitForQuiet(QUIET_MS);
      }
      return entries;
    },
    end() {
      timer?.cancel();
      timer = undefined;
      return flushAll();
    },
  };
}

interface OutputStream {
  push(chunk: Uint8Array): LogInput[];
  flush(): LogInput[];
  readonly hasPartial: boolean;
}

function createStream(stream: OutputStreamName, options: OutputParserOptions): OutputStream {
  const splitter = createLineSplitter(OUTPUT_LINE_BYTES);
  const { revision, instance, logName = stream } = options;
  const origin = {
    logName,
    ...(revision === undefined ? {} : { revision }),
    ...(instance === undefined ? {} : { instance }),
  };
  let severityOfLongLine = parseLine('', stream).severity;

  function toEntry({ text, part }: Line): LogInput {
    if (part === undefined) return { ...origin, ...parseLine(text, stream) };
    // Only its beginning tells the level of a long line; a cut JSON object is text.
    if (part === 1) severityOfLongLine = leadingSeverity(text) ?? parseLine('', stream).severity;
    return { ...origin, severity: severityOfLongLine, message: text, labels: { [PART_LABEL]: String(part) } };
  }

  return {
    push: (chunk) => splitter.push(chunk).map(toEntry),
    flush: () => splitter.flush().map(toEntry),
    get hasPartial() {
      return splitter.hasPartial;
    },
  };
}
