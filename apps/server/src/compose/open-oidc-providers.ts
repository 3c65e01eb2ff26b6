import { type OidcProvider, parseOidcProviders } from '@berth/accounts';
import { createError } from '@berth/contract';
import type { Config } from '../config/read-config.ts';
import { readSetting } from './open-billing.ts';

/**
 * Returns the OpenID Connect providers of the operator's file; none without a file.
 * @throws BerthError `invalid` when the file can't be read or is faulty
 */
export function openOidcProviders({
  oidcProviders: file,
  signUp,
}: Pick<Config, 'oidcProviders' | 'signUp'>): readonly OidcProvider[] {
  if (file === undefined) return [];
  const providers = readSetting('BERTH_OIDC_PROVIDERS', file, parseOidcProviders);
  const linking = providers.find(({ link_by_email }) => link_by_email);
  if (linking && signUp) {
    // With open sign-up a stranger could register another person's address first.
    throw createError(
      'invalid',
      `BERTH_OIDC_PROVIDERS (${file}): link_by_email of ${linking.id} can't be combined with BERTH_SIGN_UP.`,
    );
  }
  return providers;
}
