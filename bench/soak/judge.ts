import type { Failure } from '../traffic.ts';

/** A request as the log has it. Times are epoch milliseconds. */
export interface LoggedRequest {
  readonly trace: string;
  readonly status: number;
  /** Absent: no instance took it. */
  readonly instance?: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** What nothing excuses, one sentence each. */
export interface Judgement {
  readonly unexplained: readonly string[];
  /** Failures that hit a request in flight on an instance that was killed. */
  readonly explained: number;
}

/** Clocks of two processes differ, and a kill takes its time. */
const SLACK_MS = 1_000;
/** A crash is written down when the platform has seen to the end of all that the instance started, which takes a busy machine seconds. */
const RECORD_MS = 15_000;

/** What happened to instances. Times are epoch milliseconds. */
export interface Crashes {
  /** When a program was killed, whichever it was. */
  readonly killedAtMs: readonly number[];
  /** When each instance that crashed was written down as such, by id. */
  readonly recordedAtMs: ReadonlyMap<string, number>;
}

/**
 * The one excuse there is: the request was under way when a program was killed, on an instance that is on record as crashed soon after. It is
 * looked up by the trace id in the request log, so that a failure beside a kill is not excused by it.
 */
export function judge(
  failures: readonly Failure[],
  requests: readonly LoggedRequest[],
  { killedAtMs, recordedAtMs }: Crashes,
): Judgement {
  const recordOf = ({ instance }: LoggedRequest) => (instance === undefined ? undefined : recordedAtMs.get(instance));
  const wasKilled = (request: LoggedRequest) => {
    const recordMs = recordOf(request) ?? Number.NEGATIVE_INFINITY;
    return killedAtMs.some(
      (atMs) =>
        atMs <= recordMs + SLACK_MS &&
        recordMs <= atMs + RECORD_MS &&
        request.startedAtMs <= atMs + SLACK_MS &&
        atMs <= request.endedAtMs + SLACK_MS,
    );
  };
  const describe = (request: LoggedRequest) => {
    const recordMs = recordOf(request);
    const crash =
      recordMs === undefined
        ? 'no crash on record'
        : `crash on record ${recordMs - request.endedAtMs} ms after its end`;
    return `instance ${request.instance ?? 'none'}, ${crash}`;
  };
  const byTrace = new Map(requests.map((request) => [request.trace, request]));
  const unexplained: string[] = [];
  let explained = 0;
  for (const { trace, what } of failures) {
    const logged = byTrace.get(trace);
    if (logged && wasKilled(logged)) explained++;
    else unexplained.push(`${what} (trace ${trace}, ${logged ? describe(logged) : 'not logged'})`);
  }
  const seen = new Set(failures.map(({ trace }) => trace));
  for (const request of requests) {
    const isGood = request.status === 101 || (request.status >= 200 && request.status < 300);
    if (isGood || seen.has(request.trace) || wasKilled(request)) continue;
    unexplained.push(`the log has a ${request.status} that no client saw (trace ${request.trace})`);
  }
  return { unexplained, explained };
}
