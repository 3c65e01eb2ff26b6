import type { ActiveWorkspace } from './active-workspace.ts';
import type { User } from './user.ts';

/** Ends what former members of a team still hold open: streams, downloads, turns. */
export interface MembershipWatch {
  /**
   * Calls `onLost` once, at most a minute after the user was removed from the team, got a lesser role, or the team was
   * deleted. Never calls it for a personal workspace. Returns a function that releases the hold; a second call does nothing.
   */
  hold(user: User, workspace: ActiveWorkspace, onLost: () => void): () => void;
  /** Stops checking, and waits for the check in progress. */
  close(): Promise<void>;
}
