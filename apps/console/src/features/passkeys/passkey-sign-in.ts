import type { Client } from '@berth/client';
import type { SignedIn } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { PasskeyBrowser } from './passkey-browser.ts';
import { passkeyProblem } from './passkey-problem.ts';

/** Time after which a challenge is renewed; the server accepts it for five minutes. */
const RENEW_MS = 4 * 60_000;

/** Dependencies of a sign-in with a passkey. */
export interface PasskeySignInParts {
  readonly client: Pick<Client, 'post'>;
  readonly session: { noteSignedIn(answer: SignedIn): void };
  readonly browser: PasskeyBrowser;
}

/**
 * Signs in with a passkey that the person picks in the browser's dialog. @throws the browser's error, or the server's
 */
export async function signInByPasskey({ client, session, browser }: PasskeySignInParts): Promise<void> {
  const request = await browser.get(await client.post('/v1/auth/passkey/options'));
  session.noteSignedIn(await client.post('/v1/auth/passkey/sign-in', { body: request }));
}

/**
 * Offers passkeys as autofill for the email field until `signal` aborts, and signs in with the one that is picked. Does
 * nothing if the browser has no autofill or the platform has no passkeys.
 * @throws the server's error if it refuses the passkey
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

/** Waits for one autofill request. Returns `renew` if its challenge expired, and `none` if it can't be offered. */
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
    // Autofill starts unasked, so its failure isn't reported: the form and the button still work.
    return 'none';
  } finally {
    timer?.cancel();
  }
}
