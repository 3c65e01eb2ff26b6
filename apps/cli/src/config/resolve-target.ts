import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Credential } from '@berth/client';
import { parseBaseUrl } from '@berth/client';
import { DEFAULT_URL } from '@berth/contract/limits';
import { BerthError } from '@berth/kit';
import { UsageError } from '../errors/usage-error.ts';
import type { StoredConfig } from './config-store.ts';

/** The server that a command calls. */
export interface Target {
  readonly baseUrl: string;
  /** Where the address came from, for messages. */
  readonly urlFrom: string;
  readonly credential?: Credential;
  /** Where the credential came from; absent without one. */
  readonly credentialFrom?: string;
}

/** Where {@link resolveTarget} looks for the server and its credential. */
export interface TargetSources {
  /** `--url` and `--key`. */
  readonly flags: { readonly url?: string | undefined; readonly key?: string | undefined };
  /** `BERTH_URL` and `BERTH_API_KEY`; empty means absent. */
  readonly environment: { readonly url?: string | undefined; readonly key?: string | undefined };
  readonly config: StoredConfig;
  /** Finds the key of a server on this machine. Called only for such a server. */
  readonly findLocalKey: () => Promise<{ readonly key: string; readonly path: string } | undefined>;
}

/**
 * Resolves address and credential, each from the first of: flag, environment, `berth login`, this machine. A stored key is sent only to
 * the server it was stored for; a local key never leaves the machine.
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
 * Parses an address as typed. Without a scheme it is http on this machine, else https.
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

/** Returns true for addresses of this machine. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  // URL has already made any spelling of an IPv4 address into four numbers.
  const isAddress = /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]';
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** Name of the operator's key file in a data folder. */
const KEY_FILE = 'api-key';

/**
 * Finds the key of a server on this machine in the first of `dataFolders` that has a readable one. A missing or unreadable file is not
 * an error.
 */
export async function findLocalKey(dataFolders: readonly string[]): ReturnType<TargetSources['findLocalKey']> {
  for (const folder of dataFolders) {
    const file = path.join(folder, KEY_FILE);
    const key = await readFile(file, 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
    if (key !== '') return { key, path: file };
  }
  return undefined;
}
