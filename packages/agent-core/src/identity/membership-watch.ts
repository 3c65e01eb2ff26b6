import type { ActiveWorkspace } from './active-workspace.ts';
import type { User } from './user.ts';

/** Looks after what people hold open in teams: streams, downloads, turns. */
export interface MembershipWatch {
  /**
   * Calls `onLost` once, at most a minute after the user is not what they were in the team any more: removed, made less,
   * or the team deleted. Nobody loses a personal workspace. Returns how to end that; twice does nothing more.
   */
  hold(user: User, workspace: ActiveWorkspace, onLost: () => void): () => void;
  /** Looks no more; waits for the look that is taken. */
  close(): Promise<void>;
}
