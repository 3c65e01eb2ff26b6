/**
 * What a line is to the stack trace before it: a part of it, perhaps one (the line after it tells), or the first that is
 * none.
 */
export type TraceStep = 'joins' | 'maybe' | 'ends';

/** Reads the lines after the first of one stack trace. */
export interface TraceReader {
  step(line: string): TraceStep;
}

/** Words of a line that a trace may follow. */
const HEAD = /error|exception|throwable|panic|fatal|failure|failed|uncaught|unhandled|rejection/i;
/** `    at f (file:1:2)`, `\tat a.B.c(D.java:1)`, `\t... 12 more`. */
const FRAME = /^\s+at\s|^\s*\.\.\. \d+ (?:more|common frames)/;
/** `Caused by: java.io.IOException: x`. */
const CAUSE = /^\s*(?:Caused by|Suppressed): /;
/** `java.lang.IllegalStateException: x` below the line that a logger wrote about it. */
const EXCEPTION = /^(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Throwable)(?::|$)/;
/** `/app/server.js:12`, above the source line that Node shows of an error that nothing caught. */
const SOURCE = /^(?:\/|file:\/\/|node:|[A-Za-z]:\\).*:\d+$/;
const CARET = /^\s*\^+\s*$/;
const NODE_VERSION = /^Node\.js v\d/;
const TRACEBACK = /^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):/;
const PYTHON_LINK =
  /^(?:During handling of the above exception, another exception occurred:|The above exception was the direct cause of the following exception:)$/;
const GO_HEAD = /^(?:panic: |fatal error: |.*http: panic serving )/;
const GOROUTINE = /^goroutine \d+ .*\[.*\]:$/;
const GO_FRAME = /^(?:\t|\S.*\)$|created by |exit status |\.\.\.additional frames)/;

/** A reader of what may follow `line`; undefined where no stack trace begins with it. */
export function startTrace(line: string): TraceReader | undefined {
  if (line.startsWith('{')) return undefined;
  if (TRACEBACK.test(line)) return readPython();
  if (GO_HEAD.test(line) || GOROUTINE.test(line)) return readGo(GOROUTINE.test(line));
  if (SOURCE.test(line)) return readNodeSource();
  return HEAD.test(line) ? readFrames() : undefined;
}

/** Java, and Node's errors with their fields: `… {` to `}`. */
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

/** The source line, carets below it, an empty line, the error and its frames. */
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

/** Indented lines, then the exception in one line, then perhaps the exception it led to. */
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
