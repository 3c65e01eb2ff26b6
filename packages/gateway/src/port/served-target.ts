import type { RevisionTarget } from './gateway.ts';

/** What serving a revision's requests needs to know of it; nothing of how it is started, its environment least of all. */
export type ServedTarget = Pick<
  RevisionTarget,
  'account' | 'deployment' | 'revision' | 'timeoutMs' | 'concurrency' | 'sessionAffinity'
>;

/** The part of a target that leaves the process. */
export function servedTarget(target: RevisionTarget): ServedTarget {
  const { account, deployment, revision, timeoutMs, concurrency, sessionAffinity } = target;
  return { account, deployment, revision, timeoutMs, concurrency, sessionAffinity };
}
