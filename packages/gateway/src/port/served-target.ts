import type { RevisionTarget } from './gateway.ts';

/** The part of a target that serving its requests needs; without how it is started, and without its environment. */
export type ServedTarget = Pick<
  RevisionTarget,
  'account' | 'deployment' | 'revision' | 'timeoutMs' | 'concurrency' | 'sessionAffinity'
>;

/** Returns the part of a target that may be sent to a worker process. */
export function servedTarget(target: RevisionTarget): ServedTarget {
  const { account, deployment, revision, timeoutMs, concurrency, sessionAffinity } = target;
  return { account, deployment, revision, timeoutMs, concurrency, sessionAffinity };
}
