import type { Upstream } from '../port/upstream.ts';

/** A connection that outlives its response, such as a WebSocket. */
export interface Tunnel {
  /** Sends both ends a close frame where the protocol has one, and ends the connection soon after. Idempotent. */
  close(): void;
  /** Ends the connection at once. Idempotent. */
  destroy(): void;
}

/** An instance as a request sees it: its connections, and the times of its start. */
export interface ServingInstance {
  readonly id: string;
  /** The signed name of this instance, which is the value of the affinity cookie; empty without session affinity. */
  readonly affinityKey: string;
  /** The connections to it; set while its slots are granted. */
  readonly upstream: Upstream | null;
  readonly tunnels: Set<Tunnel>;
  /** When it had capacity and a start slot. This and the next times are monotonic, and null before the step is reached. */
  readonly scheduledAtMs: number | null;
  readonly spawnedAtMs: number | null;
  readonly readyAtMs: number | null;
  /** When it was last resumed. */
  readonly resumedAtMs: number | null;
}
