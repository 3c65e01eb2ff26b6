import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServiceAddresses } from '../addresses/service-address.ts';
import type { Config } from '../config/read-config.ts';
import { readBuiltPage } from './read-built-page.ts';
import { createServeConsole, type ServeConsole } from './serve-console.ts';

/** Where `npm run web` builds it. */
const DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** Whether the console is built. */
export function hasConsole(): boolean {
  return existsSync(`${DIST}/index.html`);
}

/** The console as it is built now; undefined where it is not built. */
export function openConsole(
  config: Pick<Config, 'domain' | 'storageUrl'>,
  addresses: Pick<ServiceAddresses, 'storageUrl'>,
): ServeConsole | undefined {
  const page = readBuiltPage(DIST);
  // The port of the storage listener is known later than the workers start.
  const storage = config.storageUrl ?? (config.domain === 'localhost' ? undefined : addresses.storageUrl);
  const connectSources = [storage === undefined ? 'http://localhost:*' : new URL(storage).origin];
  return page && createServeConsole({ page, connectSources });
}
