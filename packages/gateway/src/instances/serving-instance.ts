import type { Upstream } from '../port/upstream.ts';

/** A connection that outlives its response, such as a WebSocket. */
export interface Tunnel {
  /** Tells both ends to go away, and ends it soon after. Idempotent. */
  close(): void;
  /** Ends it at once. Idempotent. */
  destroy(): void;
}

/** An instance as a request sees it: the way to it, and when it came to be. */
export interface ServingInstance {
  readonly id: string;
  /** Signed name of this instance, the value of the affinity cookie; empty when the service has no affinity. */
  readonly affinityKey: string;
  /** Set while it is granted slots of. */
  readonly upstream: Upstream | null;
  readonly tunnels: Set<Tunnel>;
  /** It had room and its turn. Monotonic, as the next ones; null until it is there. */
  readonly scheduledAtMs: number | null;
  readonly spawnedAtMs: number | null;
  readonly readyAtMs: number | null;
  /** When it was last thawed. */
  readonly resumedAtMs: number | null;
}
