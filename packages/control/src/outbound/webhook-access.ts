import { lookup } from 'node:dns/promises';
import { createError } from '@berth/contract';
import { createAddressRule } from '@berth/outbound';

/** How URLs that tenants name are reached. */
export interface WebhookAccess {
  resolve(host: string): Promise<readonly string[]>;
  /** Returns whether a request may connect to an address. Without a URL, only the operator's networks are allowed. */
  isAllowed(address: string, url?: URL): boolean;
  /** Refuses what can be told without a lookup; addresses are checked at each request. @throws `invalid` */
  checkUrl(url: string): void;
}

/**
 * Returns the access to public addresses over HTTPS, and to the operator's networks over HTTPS and HTTP.
 * @param networks such as `10.0.0.0/8`.
 * @param resolve the machine's resolver by default.
 */
export function createWebhookAccess(
  networks: readonly string[],
  resolve: WebhookAccess['resolve'] = resolveAll,
): WebhookAccess {
  const isPublic = createAddressRule();
  const isOwn = createOwnRule(networks);
  return {
    resolve,
    isAllowed: (address, url) => isOwn(address) || (isEncrypted(url) && isPublic(address)),
    checkUrl(text) {
      const url = new URL(text);
      if (url.username !== '' || url.password !== '') {
        throw createError('invalid', 'The URL must not contain credentials.');
      }
      if (url.protocol !== 'https:' && networks.length === 0) {
        throw createError('invalid', 'The URL must begin with https://.');
      }
    },
  };
}

/** SSH is checked by the host key that was pinned. */
const isEncrypted = (url: URL | undefined) => url?.protocol === 'https:' || url?.protocol === 'ssh:';

const resolveAll = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);

function createOwnRule(networks: readonly string[]) {
  if (networks.length === 0) return () => false;
  const withOwn = createAddressRule(networks);
  const isPublic = createAddressRule();
  return (address: string) => withOwn(address) && !isPublic(address);
}
