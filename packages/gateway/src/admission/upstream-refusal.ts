import type { UpstreamErrorKind } from '../port/upstream.ts';
import type { Refusal } from './refusal.ts';

const CAUSES: Readonly<Record<UpstreamErrorKind, string>> = {
  connect: 'refused the connection',
  refused: 'refused the request',
  reset: 'closed the connection without an answer; it may have crashed',
  truncated: 'broke off its answer',
  protocol: 'answered with something that is not HTTP',
};

/** The 502 for an instance that gave no answer. */
export function upstreamRefusal(kind: UpstreamErrorKind, deployment: string): Refusal {
  return {
    status: 502,
    reason: `upstream_${kind}`,
    message: `"${deployment}" ${CAUSES[kind]}. See \`berth logs ${deployment}\`.`,
  };
}
