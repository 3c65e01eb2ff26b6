/**
 * How a line relates to the stack trace before it: part of it, perhaps part of it (the next line decides), or the first
 * that is not.
 */
export type TraceStep = 'joins' | 'maybe' | 'ends';

/** Classifies the lines after the first of one stack trace. */
export interface TraceReader {
  step(line: string): TraceStep;
}

/** Words in a line that a trace may follow. */
const HEAD = /error|exception|throwable|panic|fatal|failure|failed|uncaught|unhandled|rejection/i;
/** `    at f (file:1:2)`, `\tat a.B.c(D.java:1)`, `\t... 12 more`. */
const FRAME = /^\s+at\s|^\s*\.\.\. \d+ (?:more|common frames)/;
/** `Caused by: java.io.IOException: x`. */
const CAUSE = /^\s*(?:Caused by|Suppressed): /;
/** `java.lang.IllegalStateException: x`, below the line in which a logger reports it. */
const EXCEPTION = /^(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Throwable)(?::|$)/;
/** `/app/server.js:12`, above the source line that Node prints for an uncaught error. */
const SOURCE = /^(?:\/|file:\/\/|node:|[A-Za-z]:\\).*:\d+$/;
const CARET = /^\s*\^+\s*$/;
const NODE_VERSION = /^Node\.js v\d/;
const TRACEBACK = /^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):/;
const PYTHON_LINK =
  /^(?:During handling of the above exception, another exception occurred:|The above exception was the direct cause of the following exception:)$/;
const GO_HEAD = /^(?:panic: |fatal error: |.*http: panic serving )/;
const GOROUTINE = /^goroutine \d+ .*\[.*\]:$/;
const GO_FRAME = /^(?:\t|\S.*\)$|created by |exit status |\.\.\.additional frames)/;

/** Returns a reader for the lines after `line`; undefined when `line` begins no stack trace. */
export function startTrace(line: string): TraceReader | undefined {
  if (line.startsWith('{')) return undefined;
  if (TRACEBACK.test(line)) return readPython();
  if (GO_HEAD.test(line) || GOROUTINE.test(line)) return readGo(GOROUTINE.test(line));
  if (SOURCE.test(line)) return readNodeSource();
  return HEAD.test(line) ? readFrames() : undefined;
}

/** Reads traces of Java, and of Node, whose errors may have properties: `… {` to `}`. */
function readFrames(): TraceReader {
  let hasFrames = false;
  let isInObject = false;
  let python: TraceReader | undefined;
  return {
    step(line) {
      if (python) return python.step(line);
      if (isInObject) {
        isInObject = line !== '}';
        return !isInObject || /^\s/.test(line) ? 'joins' : 'ends';
      }
      if (FRAME.test(line)) {
        hasFrames = true;
        isInObject = line.endsWith('{');
        return 'joins';
      }
      if (CAUSE.test(line)) return 'joins';
      if (hasFrames) return line === '' ? 'maybe' : NODE_VERSION.test(line) ? 'joins' : 'ends';
      if (TRACEBACK.test(line)) {
        python = readPython();
        return 'joins';
      }
      return EXCEPTION.test(line) ? 'maybe' : 'ends';
    },
  };
}

/** Reads a source line, carets below it, an empty line, the error and its frames. */
function readNodeSource(): TraceReader {
  let place = 0;
  const frames = readFrames();
  return {
    step(line) {
      place++;
      if (place === 1) return 'maybe';
      if (place === 2) return CARET.test(line) ? 'joins' : 'ends';
      if (place === 3 || (place === 4 && line !== '')) return 'maybe';
      return frames.step(line);
    },
  };
}

/** Reads indented lines, the exception on one line, and possibly the exception that it caused. */
function readPython(): TraceReader {
  let part: 'frames' | 'after' | 'link' = 'frames';
  return {
    step(line) {
      if (part === 'frames') {
        if (line !== '' && !/^\s/.test(line)) part = 'after';
        return 'joins';
      }
      if (line === '') return 'maybe';
      if (part === 'after' && PYTHON_LINK.test(line)) part = 'link';
      else if (part === 'link' && TRACEBACK.test(line)) part = 'frames';
      else return 'ends';
      return 'joins';
    },
  };
}

function readGo(isInRoutine: boolean): TraceReader {
  let hasRoutine = isInRoutine;
  return {
    step(line) {
      if (line === '') return 'maybe';
      if (GOROUTINE.test(line)) hasRoutine = true;
      else if (hasRoutine ? !GO_FRAME.test(line) : !/^(?:\t|\[signal |goroutine )/.test(line)) return 'ends';
      return 'joins';
    },
  };
}
