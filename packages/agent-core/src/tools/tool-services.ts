import type { AppDataStore } from '@berth/agent-store';
import type { ToolFiles } from './tool-files.ts';

/** What the agent lends to its tools; undefined for callers who did not sign in, of whom nothing is kept. */
export interface ToolServices {
  /** The person's workspace. */
  readonly files: ToolFiles | undefined;
  readonly appData: AppDataStore | undefined;
}
