import type { Client } from '@berth/client';
import type { SignedIn } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { PasskeyBrowser } from './passkey-browser.ts';
import { passkeyProblem } from './passkey-problem.ts';

/** What the server gives to be signed is good for five minutes. */
const RENEW_MS = 4 * 60_000;

export interface PasskeySignInParts {
  readonly client: Pick<Client, 'post'>;
  readonly session: { noteSignedIn(answer: SignedIn): void };
  readonly browser: PasskeyBrowser;
}

/** Asks the person for one of their passkeys and signs in with it. @throws the browser's error, or the server's */
export async function signInByPasskey({ client, session, browser }: PasskeySignInParts): Promise<void> {
  const request = await browser.get(await client.post('/v1/auth/passkey/options'));
  session.noteSignedIn(await client.post('/v1/auth/passkey/sign-in', { body: request }));
}

/**
 * Has the browser offer passkeys beside the field for the e-mail address, for as long as `signal` lets it, and signs in with
 * the one that is picked. Does nothing where the browser can't, or the platform has none.
 * @throws the server's error when the passkey that was picked was refused
 */
export async function offerPasskeys(parts: PasskeySignInParts, clock: Clock, signal: AbortSignal): Promise<void> {
  const { client, session, browser } = parts;
  if (!(await browser.canAutofill())) return;
  const cancel = () => browser.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  while (!signal.aborted) {
    const request = await pick(parts, clock, signal);
    if (request === 'renew') continue;
    if (request === 'none' || signal.aborted) break;
    session.noteSignedIn(await client.post('/v1/auth/passkey/sign-in', { body: request }));
    break;
  }
  signal.removeEventListener('abort', cancel);
}

/** One question; `renew`: it is too old to be answered. */
async function pick({ client, browser }: PasskeySignInParts, clock: Clock, signal: AbortSignal) {
  let isOld = false;
  let timer: { cancel(): void } | undefined;
  try {
    const options = await client.post('/v1/auth/passkey/options');
    if (signal.aborted) return 'none';
    timer = clock.setTimer(RENEW_MS, () => {
      isOld = true;
      browser.cancel();
    });
    return await browser.get(options, true);
  } catch (error) {
    if (isOld && passkeyProblem(error) === 'cancelled') return 'renew';
    // Nobody asked for it: the form and its button are there.
    return 'none';
  } finally {
    timer?.cancel();
  }
}
