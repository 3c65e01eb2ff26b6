import type { RevisionTarget } from '../port/gateway.ts';

/** Returns a revision for tests, with small limits and all optional features off. */
export function testTarget(changes: Partial<RevisionTarget> = {}): RevisionTarget {
  return {
    account: 'acc_1',
    deployment: 'hello',
    revision: 'rev-1',
    url: 'http://hello.test',
    artifact: { kind: 'image', reference: 'none', name: 'none' },
    env: {},
    port: 8080,
    memoryBytes: 100,
    cpuMillis: 1000,
    mounts: [],
    timeoutMs: 60_000,
    concurrency: 4,
    maxInstances: 0,
    minInstances: 0,
    sessionAffinity: false,
    useHttp2: false,
    ...changes,
  };
}
