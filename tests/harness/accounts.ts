import type { Berth } from './berth.ts';

/** An account besides the first one. */
export interface OtherAccount {
  readonly id: string;
  /** API key with all scopes. */
  readonly key: string;
}

/** Makes an account as the operator does. */
export async function createAccount(berth: Berth, name: string): Promise<OtherAccount> {
  const answer = await berth.post('/v1/admin/accounts', { name });
  if (!answer.ok) throw new Error(`account ${name}: ${answer.status} ${await answer.text()}`);
  const { account, key } = (await answer.json()) as { account: { id: string }; key: { secret: string } };
  return { id: account.id, key: key.secret };
}

/** Makes a key of the first account. */
export async function createKey(
  berth: Berth,
  options: { readonly scopes: readonly string[]; readonly expiresAt?: Date },
): Promise<{ readonly id: string; readonly secret: string }> {
  const answer = await berth.post('/v1/user/keys', {
    name: 'of a test',
    scopes: options.scopes,
    ...(options.expiresAt ? { expires_at: options.expiresAt.toISOString() } : {}),
  });
  if (!answer.ok) throw new Error(`key: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string; secret: string };
}
