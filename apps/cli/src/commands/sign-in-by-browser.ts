import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';
import type { Context } from '../command/context.ts';

/** How much longer to wait after `slow_down`. Source: RFC 8628 section 3.5. */
const SLOWER_MS = 5_000;

/**
 * Signs in with a code that a person confirms in a browser, here or on another machine.
 * @returns the token of a session
 * @throws `bad_request` when the person says no, or nobody decides in the time that the server gives
 */
export async function signInByBrowser(
  client: Pick<Client, 'createDeviceCode' | 'pollDevice'>,
  { output, machine, clock, signal, openBrowser }: Context,
): Promise<string> {
  const begun = await client.createDeviceCode(`berth on ${machine.hostName}`.slice(0, 100));
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in } = begun;
  output.say(`Open ${verification_uri_complete}`);
  output.say(`and confirm the code ${user_code}, or type it at ${verification_uri} on another machine.`);
  if (output.isTerminal.result) await openBrowser(verification_uri_complete);
  const endMs = clock.monotonicMs() + expires_in * 1_000;
  let waitMs = begun.interval * 1_000;
  while (clock.monotonicMs() < endMs) {
    await clock.sleep(waitMs, signal);
    const answer = await client.pollDevice(device_code);
    if (typeof answer !== 'string') return answer.token;
    if (answer === 'slow_down') waitMs += SLOWER_MS;
  }
  throw new BerthError({
    code: 'bad_request',
    status: 400,
    message: 'Nobody confirmed the code in time. Run `berth login --browser` again.',
  });
}
