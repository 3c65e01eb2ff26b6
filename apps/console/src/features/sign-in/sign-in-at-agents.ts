import type { Platform } from '../../api/create-platform.ts';
import type { SessionStore } from '../../api/create-session.ts';

/** Has agents of the account know whoever is signed in at the console, without another sign-in. */
export function signInAtAgents(session: Pick<SessionStore, 'state' | 'subscribe'>, { client }: Platform): void {
  let before: string = 'unknown';
  const look = () => {
    const isNew = session.state === 'signed-in' && before !== 'signed-in';
    before = session.state;
    if (!isNew) return;
    // Where it fails, agents ask for a sign-in of their own.
    client.post('/v1/user/sign-in-at-agents').catch(() => {});
  };
  session.subscribe(look);
  look();
}
