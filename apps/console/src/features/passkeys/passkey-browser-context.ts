import { createRequiredContext } from '@berth/ui';
import type { PasskeyBrowser } from './passkey-browser.ts';

/** The browser's passkeys. */
export const [PasskeyBrowserContext, usePasskeyBrowser] =
  createRequiredContext<PasskeyBrowser>('PasskeyBrowserContext');
