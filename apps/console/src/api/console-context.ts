import { createContext, useContext, useSyncExternalStore } from 'react';
import type { DeployRun, DeployState } from '../features/deploys/state/create-deploy-run.ts';
import type { PasskeyBrowser } from '../features/passkeys/passkey-browser.ts';
import type { UploadQueue } from '../features/volumes/uploads/state/upload-queue.ts';
import type { AccountChoice } from './account-choice.ts';
import type { Platform } from './create-platform.ts';
import type { SessionState, SessionStore } from './create-session.ts';

/** What every view may use. */
export interface Console extends Platform {
  readonly session: SessionStore;
  readonly accountChoice: AccountChoice;
  readonly deployRun: DeployRun;
  readonly passkeys: PasskeyBrowser;
  /** Of files into volumes. */
  readonly uploads: UploadQueue;
  /** Of the link that led here, if it was that of the first run or of an invitation. */
  readonly linkSecret: string | undefined;
}

const ConsoleContext = createContext<Console | undefined>(undefined);

export const ConsoleProvider = ConsoleContext;

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (!found) throw new Error('useConsole outside of ConsoleProvider');
  return found;
}

export function useSessionState(): SessionState {
  const { session } = useConsole();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

/** The deploy that this tab shows. */
export function useDeployState(): DeployState | undefined {
  const { deployRun } = useConsole();
  return useSyncExternalStore(deployRun.subscribe, () => deployRun.state);
}
