import { createRequiredContext } from '@berth/ui';
import type { PasskeyBrowser } from './passkey-browser.ts';

/** React context of the browser's passkeys, and the hook that reads it. */
export const [PasskeyBrowserContext, usePasskeyBrowser] =
  createRequiredContext<PasskeyBrowser>('PasskeyBrowserContext');
