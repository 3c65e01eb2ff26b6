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

/** Someone who is no owner of the account. */
export interface Colleague {
  readonly userId: string;
  /** What a request of theirs is sent with. */
  readonly credential: { readonly Authorization: string };
}

/** Invites a person into the first account, who takes the invitation. */
export async function createColleague(berth: Berth, name: string): Promise<Colleague> {
  const invited = await berth.post('/v1/user/invites', { role: 'member' });
  if (!invited.ok) throw new Error(`invitation of ${name}: ${invited.status} ${await invited.text()}`);
  const { link } = (await invited.json()) as { link: string };
  const person = { email: `${name}@example.com`, password: `the password of ${name}`, name };
  const joined = await fetch(`${berth.url}/v1/auth/invites/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...person, token: new URL(link).hash.slice(1) }),
  });
  if (!joined.ok) throw new Error(`${name} joins: ${joined.status} ${await joined.text()}`);
  const { token, user } = (await joined.json()) as { token: string; user: { id: string } };
  return { userId: user.id, credential: { Authorization: `Bearer ${token}` } };
}
