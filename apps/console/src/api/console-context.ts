import type { Client } from '@berth/client';
import { createRequiredContext } from '@berth/ui';
import { useSyncExternalStore } from 'react';
import type { AccountChoice } from './account-choice.ts';
import type { SessionState, SessionStore } from './create-session.ts';

/** The platform's API and the person who is signed in. */
export interface Console {
  readonly client: Client;
  readonly session: SessionStore;
  readonly accountChoice: AccountChoice;
  /** Secret of the link that opened the console: of the first run or of an invitation; undefined for any other. */
  readonly linkSecret: string | undefined;
}

/** The API that every feature calls. */
export const [ConsoleContext, useConsole] = createRequiredContext<Console>('ConsoleContext');

/** Returns whether a person is signed in, and renders again when that changes. */
export function useSessionState(): SessionState {
  const { session } = useConsole();
  return useSyncExternalStore(session.subscribe, () => session.state);
}
