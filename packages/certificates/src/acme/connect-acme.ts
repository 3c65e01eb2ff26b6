import type { Client } from 'acme-client';
import type { AcmeAccountStore } from './acme-account.ts';
import type { AcmeTransport } from './acme-transport.ts';

/** Credentials that some certificate authorities give for the first registration. Source: RFC 8555 7.3.4. */
export interface ExternalAccount {
  readonly kid: string;
  /** base64url. */
  readonly hmacKey: string;
}

export interface ConnectAcmeOptions {
  readonly directoryUrl: string;
  /** Where the authority writes when something is wrong; absent: nowhere. */
  readonly email?: string | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
  readonly accounts: AcmeAccountStore;
  readonly transport: AcmeTransport;
}

/**
 * A client with a registered account. Registering agrees to the authority's terms of service, which the operator does by
 * naming its directory.
 * @throws AcmeFailure
 */
export async function connectAcme(options: ConnectAcmeOptions): Promise<Client> {
  const { directoryUrl, externalAccount, accounts, transport } = options;
  const email = options.email ?? null;
  // Loaded when it is needed: it costs 40 MB and a quarter of a second.
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
 * Makes the client speak through `transport`. Its own one is an axios instance shared by all clients of the process, which
 * can't be ended, hides `Retry-After` and sleeps through it. The place is not in the client's types; the version is
 * pinned, and the test against an ACME server would fail.
 */
function useTransport(client: Client, transport: AcmeTransport): void {
  const { http } = client as unknown as { http?: { request?: unknown } };
  if (typeof http?.request !== 'function') throw new Error('acme-client has no place for a transport any more');
  http.request = transport;
}
