import type { Config } from '../config/read-config.ts';

/**
 * Base URL of the storage listener without a final slash: as the operator says; on localhost its own port; on a domain
 * `storage.<domain>`, which the public ports serve too.
 */
export function storageUrlOf(
  {
    storageUrl,
    domain,
    publicScheme,
    publicPort,
  }: Pick<Config, 'storageUrl' | 'domain' | 'publicScheme' | 'publicPort'>,
  port: number,
): string {
  if (storageUrl !== undefined) return storageUrl.replace(/\/+$/, '');
  if (domain === 'localhost') return `http://localhost:${port}`;
  const url = new URL(`${publicScheme ?? 'https'}://storage.${domain}`);
  if (publicPort !== undefined) url.port = String(publicPort);
  return url.origin;
}
