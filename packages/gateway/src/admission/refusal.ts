import type { UpstreamErrorKind } from '../port/upstream.ts';

/** A response that the gateway sends in place of the service. */
export interface Refusal {
  readonly status: 400 | 404 | 414 | 429 | 501 | 502 | 503 | 504;
  /** The value of the `berth-reason` header: a stable snake_case word. */
  readonly reason: string;
  /** A sentence the person who sees it can act on. */
  readonly message: string;
  /** Set on 429, 503 and 504. */
  readonly retryAfterSeconds?: number;
  /** The body is JSON, whatever the client prefers: the response stands for an API's. */
  readonly format?: 'json';
}

/** The state of a service when a request's wait has ended without a slot. */
export interface RefusalObservation {
  readonly deployment: string;
  readonly nowMs: number;
  /** Arrival plus the service's timeout. */
  readonly timeoutAtMs: number;
  readonly timeoutMs: number;
  readonly meanStartMs: number;
  readonly ready: number;
  /** Instances in any state. */
  readonly instances: number;
  /** 0: no maximum. */
  readonly maxInstances: number;
  /** Why the last start failed; absent when it succeeded. */
  readonly startFailure?: { readonly code: string; readonly message: string } | undefined;
  /** When the next start may be attempted. */
  readonly nextStartAtMs: number;
}

/** Returns the 429 for a request that finds the queue full. */
export function queueFullRefusal(deployment: string, meanStartMs: number): Refusal {
  return {
    status: 429,
    reason: 'queue_full',
    message: `Too many requests are queued for "${deployment}". Try again shortly, or deploy it with more max_instances or concurrency.`,
    retryAfterSeconds: seconds(meanStartMs),
  };
}

/** Returns the refusal of a request whose wait has ended: 504, 503 or 429, in this order. */
export function deadlineRefusal(seen: RefusalObservation): Refusal {
  const { deployment } = seen;
  if (seen.nowMs >= seen.timeoutAtMs) return timeoutRefusal(deployment, seen.timeoutMs);
  if (seen.ready === 0 && seen.startFailure !== undefined) {
    const { code, message } = seen.startFailure;
    const hint = code === 'out_of_capacity' ? '' : ` See \`berth logs ${deployment}\`.`;
    return {
      status: 503,
      reason: code,
      message: `"${deployment}" could not be started. ${message}${hint}`,
      retryAfterSeconds: seconds(seen.nextStartAtMs - seen.nowMs),
    };
  }
  const retryAfterSeconds = seconds(seen.meanStartMs);
  if (seen.ready > 0 || (seen.maxInstances > 0 && seen.instances >= seen.maxInstances)) {
    const bound = seen.maxInstances > 0 ? `its max_instances (${seen.maxInstances})` : "this machine's capacity";
    return {
      status: 429,
      reason: 'at_max_instances',
      message: `Every instance of "${deployment}" is busy and it is at ${bound}. Try again shortly.`,
      retryAfterSeconds,
    };
  }
  return {
    status: 503,
    reason: 'starting',
    message: `"${deployment}" is still starting. Try again shortly; see \`berth logs ${deployment}\`.`,
    retryAfterSeconds,
  };
}

/** Returns the 504 for a request whose timeout passed before a response began. */
export function timeoutRefusal(deployment: string, timeoutMs: number): Refusal {
  return {
    status: 504,
    reason: 'request_timeout',
    message: `"${deployment}" did not answer within its timeout of ${timeoutMs / 1000} s. See \`berth logs ${deployment}\`, or deploy it with a longer timeout.`,
    retryAfterSeconds: 1,
  };
}

/** Returns the 404 for a name that no deployment with a revision has. */
export function unknownRefusal(deployment: string): Refusal {
  return {
    status: 404,
    reason: 'unknown_deployment',
    message: `No deployment "${deployment}" exists. See \`berth ls\` for existing ones.`,
  };
}

/** Returns the 501 for a body in an unsupported transfer coding (RFC 9112 section 6.1). */
export function codingRefusal(coding: string): Refusal {
  return {
    status: 501,
    reason: 'transfer_coding',
    message: `The transfer coding "${coding}" is not supported; send the body chunked or with its length.`,
  };
}

/** Returns the 501 for an upgrade request with a body, which either protocol could claim. */
export function upgradeBodyRefusal(): Refusal {
  return { status: 501, reason: 'upgrade_with_body', message: "An upgrade request can't have a body." };
}

/** Returns the 503 for a request whose deployment was deleted while it waited. */
export function deletedRefusal(deployment: string): Refusal {
  return { status: 503, reason: 'deleted', message: `"${deployment}" was deleted.`, retryAfterSeconds: 60 };
}

/** Returns the 503 for a request to a deployment that its owner stopped. */
export function stoppedRefusal(deployment: string): Refusal {
  return {
    status: 503,
    reason: 'stopped',
    message: `"${deployment}" is stopped. Start it again with \`berth resume ${deployment}\`.`,
    retryAfterSeconds: 60,
  };
}

/** Returns the 503 for a request that comes while the platform shuts down. */
export function closingRefusal(): Refusal {
  return {
    status: 503,
    reason: 'shutting_down',
    message: 'The platform is shutting down. Try again shortly.',
    retryAfterSeconds: 5,
  };
}

const CAUSES: Readonly<Record<UpstreamErrorKind, string>> = {
  connect: 'refused the connection',
  refused: 'refused the request',
  reset: 'closed the connection without a response; it may have crashed',
  truncated: 'closed the connection during its response',
  protocol: 'returned an invalid HTTP response',
};

/** Returns the 502 for a request that an instance didn't answer. */
export function upstreamRefusal(kind: UpstreamErrorKind, deployment: string): Refusal {
  return {
    status: 502,
    reason: `upstream_${kind}`,
    message: `"${deployment}" ${CAUSES[kind]}. See \`berth logs ${deployment}\`.`,
  };
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
