import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceAddresses } from '../addresses/service-address.ts';
import type { Config } from '../config/read-config.ts';
import { readBuiltPage } from './read-built-page.ts';
import { createServeConsole, type ServeConsole } from './serve-console.ts';

/** The output folder of `npm run web`. */
const DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** Returns true when the console is built. */
export function hasConsole(): boolean {
  return existsSync(`${DIST}/index.html`);
}

/** Opens the console as it is built now; undefined when it isn't built. */
export function openConsole(
  config: Pick<Config, 'domain' | 'storageUrl'>,
  addresses: Pick<ServiceAddresses, 'storageUrl'>,
): ServeConsole | undefined {
  const page = readBuiltPage(DIST);
  // Workers start before the port of the storage listener is known.
  const storage = config.storageUrl ?? (config.domain === 'localhost' ? undefined : addresses.storageUrl);
  const connectSources = [storage === undefined ? 'http://localhost:*' : new URL(storage).origin];
  return page && createServeConsole({ page, connectSources });
}
