import type { Client } from 'acme-client';
import type { AcmeAccountStore } from './acme-account.ts';
import type { AcmeTransport } from './acme-transport.ts';

/**
 * External account credentials, which some certificate authorities require for registration. Source: RFC 8555 7.3.4.
 */
export interface ExternalAccount {
  readonly kid: string;
  /** The HMAC key, base64url. */
  readonly hmacKey: string;
}

/** Options of {@link connectAcme}. */
export interface ConnectAcmeOptions {
  readonly directoryUrl: string;
  /** Contact address for notices from the authority; absent for none. */
  readonly email?: string | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
  readonly accounts: AcmeAccountStore;
  readonly transport: AcmeTransport;
}

/**
 * Returns a client with a registered account. Registration accepts the authority's terms of service; the operator
 * agrees to them by configuring its directory.
 * @throws AcmeFailure
 */
export async function connectAcme(options: ConnectAcmeOptions): Promise<Client> {
  const { directoryUrl, externalAccount, accounts, transport } = options;
  const email = options.email ?? null;
  // Loaded on demand, because the module takes 40 MB of memory and 250 ms to load.
  const { Client } = await import('acme-client');
  const account = await accounts.load();
  const client = new Client({
    directoryUrl,
    accountKey: account.keyPem,
    ...(account.accountUrl === null ? {} : { accountUrl: account.accountUrl }),
    ...(externalAccount ? { externalAccountBinding: { ...externalAccount } } : {}),
  });
  useTransport(client, transport);
  const contact = email === null ? [] : [`mailto:${email}`];
  if (account.accountUrl === null) await client.createAccount({ termsOfServiceAgreed: true, contact });
  else if (account.email !== email) await client.updateAccount({ contact });
  const accountUrl = client.getAccountUrl();
  if (accountUrl !== account.accountUrl || email !== account.email)
    await accounts.save({ ...account, accountUrl, email });
  return client;
}

/**
 * Makes the client send its requests through `transport`. The client's own transport is an axios instance shared by the
 * whole process; it can't be canceled, hides `Retry-After` and sleeps for that time. The field is missing from the
 * client's types, so the version is pinned, and the test against an ACME server fails if the field changes.
 */
function useTransport(client: Client, transport: AcmeTransport): void {
  const { http } = client as unknown as { http?: { request?: unknown } };
  if (typeof http?.request !== 'function') throw new Error('acme-client has no place for a transport any more');
  http.request = transport;
}
