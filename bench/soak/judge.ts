/** Something that a client saw go wrong. */
export interface Failure {
  /** Trace id it sent: the same in the request log. */
  readonly trace: string;
  readonly what: string;
}

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

/** A crash is written down a little after the connections to the instance broke, and the clocks of two processes differ. */
const SLACK_MS = 1_000;

/**
 * The one excuse there is: the request was under way on an instance that crashed meanwhile. It is looked up by the trace id in the request
 * log, so that a failure beside a kill is not excused by it.
 *
 * @param crashedAtMs when each instance that crashed did so, by id.
 */
export function judge(
  failures: readonly Failure[],
  requests: readonly LoggedRequest[],
  crashedAtMs: ReadonlyMap<string, number>,
): Judgement {
  const wasKilled = ({ instance, startedAtMs, endedAtMs }: LoggedRequest) => {
    const atMs = instance === undefined ? undefined : crashedAtMs.get(instance);
    return atMs !== undefined && startedAtMs <= atMs + SLACK_MS && atMs <= endedAtMs + SLACK_MS;
  };
  const byTrace = new Map(requests.map((request) => [request.trace, request]));
  const unexplained: string[] = [];
  let explained = 0;
  for (const { trace, what } of failures) {
    const logged = byTrace.get(trace);
    if (logged && wasKilled(logged)) explained++;
    else
      unexplained.push(`${what} (trace ${trace}, ${logged ? `instance ${logged.instance ?? 'none'}` : 'not logged'})`);
  }
  const seen = new Set(failures.map(({ trace }) => trace));
  for (const request of requests) {
    const isGood = request.status === 101 || (request.status >= 200 && request.status < 300);
    if (isGood || seen.has(request.trace) || wasKilled(request)) continue;
    unexplained.push(`the log has a ${request.status} that no client saw (trace ${request.trace})`);
  }
  return { unexplained, explained };
}
