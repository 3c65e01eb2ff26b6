import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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

/** Somebody who is no owner of the account. */
export interface Colleague {
  readonly userId: string;
  /** API key that is theirs and not the account's. */
  readonly key: string;
}

/** Makes a person who is a member of the first account. */
export async function createColleague(berth: Berth, name: string): Promise<Colleague> {
  const credentials = { email: `${name}@example.com`, password: `the password of ${name}` };
  const made = await berth.post('/v1/admin/accounts', { name, user: credentials });
  if (!made.ok) throw new Error(`account ${name}: ${made.status} ${await made.text()}`);
  // Nobody can be invited to an account over the API: the row of whom the account has is written by hand.
  using database = new DatabaseSync(path.join(berth.dataFolder, 'berth.db'));
  const row = database.prepare('SELECT id FROM auth_users WHERE email = ?').get(credentials.email);
  const userId = String(row?.['id']);
  const operator = '(SELECT id FROM accounts WHERE is_operator = 1)';
  database
    .prepare(`UPDATE account_members SET account_id = ${operator}, role = 'member' WHERE user_id = ?`)
    .run(userId);
  const send = async (route: string, body: unknown, headers = {}) => {
    const answer = await fetch(berth.url + route, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${route} of ${name}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { readonly token: string; readonly secret: string };
  };
  const { token } = await send('/v1/auth/sign-in/email', credentials);
  const authorization = { Authorization: `Bearer ${token}` };
  const { secret } = await send('/v1/user/keys', { name: 'of a test', scopes: ['deploy'] }, authorization);
  return { userId, key: secret };
}
