import type { AppDataStore } from '@berth/agent-store';
import type { ToolFiles } from './tool-files.ts';

/** The stores that tools may use; undefined for callers who did not sign in, for whom nothing is kept. */
export interface ToolServices {
  /** The person's workspace. */
  readonly files: ToolFiles | undefined;
  readonly appData: AppDataStore | undefined;
}
