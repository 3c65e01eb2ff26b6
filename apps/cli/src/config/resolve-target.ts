import type { Credential } from '@berth/client';
import { parseBaseUrl } from '@berth/client';
import { DEFAULT_URL } from '@berth/contract/limits';
import { BerthError } from '@berth/kit';
import { UsageError } from '../errors/usage-error.ts';
import type { StoredConfig } from './config-store.ts';

/** The server a command speaks to. */
export interface Target {
  readonly baseUrl: string;
  /** Where the address came from, as people call it. */
  readonly urlFrom: string;
  readonly credential?: Credential;
  /** Where the credential came from; absent with it. */
  readonly credentialFrom?: string;
}

/** Where {@link resolveTarget} looks for the server and its credential. */
export interface TargetSources {
  /** `--url` and `--key`. */
  readonly flags: { readonly url?: string | undefined; readonly key?: string | undefined };
  /** `BERTH_URL` and `BERTH_API_KEY`; empty is the same as absent. */
  readonly environment: { readonly url?: string | undefined; readonly key?: string | undefined };
  readonly config: StoredConfig;
  /** The key a server on this machine keeps for its owner, and its file. Asked for a server on this machine only. */
  readonly findLocalKey: () => Promise<{ readonly key: string; readonly path: string } | undefined>;
}

/**
 * Address and credential, each from the first of: flag, environment, what `berth login` remembered, this machine.
 * A remembered key goes to the server it was given for and to no other; a local key never leaves the machine.
 * @throws UsageError for a `--url` or `BERTH_URL` that is not an address
 */
export async function resolveTarget({ flags, environment, config, findLocalKey }: TargetSources): Promise<Target> {
  const [url, urlFrom] =
    flags.url !== undefined
      ? [flags.url, '--url']
      : environment.url
        ? [environment.url, 'BERTH_URL']
        : config.current
          ? [config.current, 'berth login']
          : [DEFAULT_URL, 'the default'];
  const baseUrl = parseServerAddress(url, urlFrom);
  const address = { baseUrl, urlFrom };
  if (flags.key !== undefined) return { ...address, credential: { apiKey: flags.key }, credentialFrom: '--key' };
  if (environment.key) return { ...address, credential: { apiKey: environment.key }, credentialFrom: 'BERTH_API_KEY' };
  const stored = config.servers[baseUrl];
  if (stored?.key) return { ...address, credential: { apiKey: stored.key }, credentialFrom: 'berth login' };
  if (stored?.bearer) return { ...address, credential: { bearer: stored.bearer }, credentialFrom: 'berth login' };
  const local = isLoopback(baseUrl) ? await findLocalKey() : undefined;
  if (local) return { ...address, credential: { apiKey: local.key }, credentialFrom: local.path };
  return address;
}

/**
 * An address as a person types it: without a scheme it is http on this machine, else https.
 * @throws UsageError naming `from`
 */
export function parseServerAddress(text: string, from: string): string {
  const typed = text.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed);
  const whole = hasScheme || typed === '' ? typed : `${isLoopback(`http://${typed}`) ? 'http' : 'https'}://${typed}`;
  try {
    return parseBaseUrl(whole);
  } catch (error) {
    throw BerthError.is(error) ? new UsageError(`${from}: ${error.message}`) : error;
  }
}

/** True for addresses of this very machine. */
function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  // URL has already made any spelling of an IPv4 address into four numbers.
  const isAddress = /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]';
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost');
}
