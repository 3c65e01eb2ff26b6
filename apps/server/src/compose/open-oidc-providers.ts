import { readFileSync } from 'node:fs';
import { type OidcProvider, parseOidcProviders } from '@berth/accounts';
import { createError } from '@berth/contract';
import type { Config } from '../config/read-config.ts';

/**
 * Returns the OpenID Connect providers of the operator's file; none without a file.
 * @throws BerthError `invalid` when the file can't be read or is faulty
 */
export function openOidcProviders({
  oidcProviders: file,
  signUp,
}: Pick<Config, 'oidcProviders' | 'signUp'>): readonly OidcProvider[] {
  if (file === undefined) return [];
  const fault = (reason: string, cause?: unknown) =>
    createError('invalid', `BERTH_OIDC_PROVIDERS (${file}): ${reason}`, { cause });
  let providers: readonly OidcProvider[];
  try {
    providers = parseOidcProviders(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw fault(cause instanceof Error ? cause.message : String(cause), cause);
  }
  const linking = providers.find(({ link_by_email }) => link_by_email);
  if (linking && signUp) {
    // With open sign-up a stranger could register another person's address first.
    throw fault(`link_by_email of ${linking.id} and BERTH_SIGN_UP do not go together.`);
  }
  return providers;
}
