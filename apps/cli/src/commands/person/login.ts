import type { Client, Credential } from '@berth/client';
import { createError } from '@berth/contract/errors';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import type { StoredCredential } from '../../config/config-store.ts';
import { parseServerAddress, type Target } from '../../config/resolve-target.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { cleanText } from '../../output/clean-text.ts';

/** Added to the polling interval after `slow_down`. Source: RFC 8628 section 3.5. */
const SLOWER_MS = 5_000;

interface LoginOptions {
  readonly email?: string;
  readonly browser?: boolean;
}

/** `berth login`. */
export const login = defineCommand({
  name: 'login',
  summary: 'Sign in to a server and save the credentials',
  description:
    'Checks an API key against its server and saves both in a file that only you can read. The key comes from ' +
    '--key, a prompt, or standard input. With --email, it prompts for a password and saves a session ' +
    'of one day, renewed by use. With --browser, you confirm a code in a browser where you are signed in, here or on another ' +
    "machine. On the server's own machine no login is needed: its key is found.",
  options: {
    '--email <address>': 'Sign in as a person; the password is prompted for or piped in',
    '--browser': 'Sign in by confirming a code in a browser',
  },
  examples: [
    ['berth login', 'prompts for URL and key'],
    ['berth login --url https://api.example.com < key.txt', 'reads the key from a file'],
    ['berth login --browser', 'prints a URL and a code, and waits for your confirmation'],
    ['berth login --email ada@example.com', 'a session instead of a key'],
  ],
  async run({ options }, context) {
    const { output, config, target, clientOf, prompts } = context;
    const found = await target();
    const isUrlGiven = found.urlFrom === '--url' || found.urlFrom === 'BERTH_URL';
    const baseUrl =
      isUrlGiven || !prompts.isInteractive
        ? found.baseUrl
        : parseServerAddress(await prompts.text('Address of the server', { initial: found.baseUrl }), 'the address');
    const stored = await readCredential(options, found, baseUrl, context);
    const me = await clientOf({ baseUrl, credential: credentialOf(stored) }).get('/v1/user');

    const before = await config.read();
    await config.write({ ...before, current: baseUrl, servers: { ...before.servers, [baseUrl]: stored } });
    output.json({ server: baseUrl, account: me.account, config: config.path });
    output.print(cleanText(`Signed in to ${baseUrl} as ${me.account.name}.`));
    if (found.credentialFrom === 'BERTH_API_KEY') output.warn('BERTH_API_KEY is set and overrides this login.');
  },
});

async function readCredential(
  { email, browser = false }: LoginOptions,
  found: Target,
  baseUrl: string,
  context: Context,
): Promise<StoredCredential> {
  const { prompts, readInput, clientOf } = context;
  if (browser && email !== undefined) throw new UsageError('Give --email or --browser, not both.');
  if (browser) return { bearer: await signInByBrowser(clientOf({ baseUrl }), context) };
  if (email !== undefined) {
    const password = prompts.isInteractive
      ? await prompts.secret(`Password of ${email}`)
      : (await readInput()).replace(/\r?\n$/, '');
    return { bearer: (await clientOf({ baseUrl }).signIn({ email, password })).token };
  }
  if (found.credentialFrom === '--key' && found.credential && 'apiKey' in found.credential) {
    return { key: found.credential.apiKey };
  }
  const key = prompts.isInteractive
    ? await prompts.secret('API key (without one: berth login --browser)')
    : await readInput();
  if (key.trim() === '') throw new UsageError('No key was given. Pipe it in, or give --key.');
  return { key: key.trim() };
}

function credentialOf({ key, bearer = '' }: StoredCredential): Credential {
  return key === undefined ? { bearer } : { apiKey: key };
}

/**
 * Signs in with a code that a person confirms in a browser, here or on another machine.
 * @returns the token of a session
 * @throws BerthError `bad_request` when the person refuses, or the code expires
 */
async function signInByBrowser(
  client: Pick<Client, 'post' | 'pollDevice'>,
  { output, machine, clock, signal, openBrowser }: Context,
): Promise<string> {
  const begun = await client.post('/v1/auth/device/code', {
    body: { device_name: `berth on ${machine.hostName}`.slice(0, 100) },
  });
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in } = begun;
  output.say(cleanText(`Open ${verification_uri_complete}`));
  output.say(cleanText(`and confirm the code ${user_code}, or type it at ${verification_uri} on another machine.`));
  if (output.isTerminal.result) await openBrowser(verification_uri_complete);
  const endMs = clock.monotonicMs() + expires_in * 1_000;
  let waitMs = begun.interval * 1_000;
  while (clock.monotonicMs() < endMs) {
    await clock.sleep(waitMs, signal);
    const answer = await client.pollDevice(device_code);
    if (typeof answer !== 'string') return answer.token;
    if (answer === 'slow_down') waitMs += SLOWER_MS;
  }
  throw createError('bad_request', 'The code was not confirmed in time. Run `berth login --browser` again.');
}
