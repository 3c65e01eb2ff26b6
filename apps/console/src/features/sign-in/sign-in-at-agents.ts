import type { Platform } from '../../api/create-platform.ts';
import type { SessionStore } from '../../api/create-session.ts';

/** Signs the person in at the account's agents whenever they sign in at the console. */
export function signInAtAgents(session: Pick<SessionStore, 'state' | 'subscribe'>, { client }: Platform): void {
  let before: string = 'unknown';
  const look = () => {
    const isNew = session.state === 'signed-in' && before !== 'signed-in';
    before = session.state;
    if (!isNew) return;
    // If this fails, the agents ask the person to sign in.
    client.post('/v1/user/sign-in-at-agents').catch(() => {});
  };
  session.subscribe(look);
  look();
}
