import type { PrepareOptions, Runtime } from '@berth/runtime';

/** Brings an artifact to this machine. */
export type EnsureArtifact = NonNullable<Runtime['prepare']>;

/**
 * Returns a runtime that brings artifacts of other servers to this machine before it starts them.
 * @param find Returns the way to do that; undefined on a platform of one server. Called for each start, because the control plane,
 *   which fetches them, opens after the gateway.
 */
export function withArtifacts(runtime: Runtime, find: () => EnsureArtifact | undefined): Runtime {
  return {
    ...runtime,
    prepare: async (artifact, options: PrepareOptions) => find()?.(artifact, options),
  };
}
