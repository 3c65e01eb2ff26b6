import type { Client, SendForm } from '@berth/client';
import { deployEvent } from '@berth/client/testing';
import { describe, expect, test } from 'vitest';
import { draftOf, toDeployFields } from '../features/settings/settings-draft.ts';
import { createConsoleClient } from './create-console-client.ts';

interface Setup {
  /** Statuses of the answers, in order; the last one is repeated. */
  readonly statuses: readonly number[];
  readonly account?: string;
  readonly isRenewed?: boolean;
}

function setup({ statuses, account, isRenewed = true }: Setup) {
  const asked: { path: string; headers: Headers; credentials?: string }[] = [];
  const renewals: unknown[] = [];
  const left = [...statuses];
  const status = () => (left.length > 1 ? left.shift() : left[0]) ?? 200;
  const send = (async (request: Request) => {
    asked.push({ path: new URL(request.url).pathname, headers: request.headers, credentials: request.credentials });
    return Response.json({ detail: 'answered' }, { status: status() });
  }) as typeof fetch;
  const sendForm: SendForm = async ({ url, headers }) => {
    asked.push({ path: new URL(url).pathname, headers: new Headers(headers) });
    const own = status();
    const text = own === 200 ? deployEvent(1, 'DONE', 'Done.') : '{"detail":"refused"}';
    return { status: own, headers: new Headers(), body: new Blob([text]).stream() };
  };
  const client = createConsoleClient({
    baseUrl: 'http://berth.test',
    fetch: send,
    sendForm,
    accountId: () => account,
    async renew(signal) {
      renewals.push(signal);
      return isRenewed;
    },
  });
  return { client, asked, renewals };
}

const deploy: Parameters<Client['deploy']>[0] = {
  fields: { ...toDeployFields('shop', draftOf()) },
  archive: new Blob(['x']),
};
async function readAll(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('every call', () => {
  // Fails when the header is left out: the server would refuse the cookie.
  test('says that it comes from a browser, and sends the cookie to its own origin only', async () => {
    const { client, asked } = setup({ statuses: [200] });
    await client.get('/v1/user');
    expect(asked[0]?.headers.get('x-berth-browser')).toBe('1');
    expect(asked[0]?.credentials).toBe('same-origin');
  });

  // Fails when the account is read once at the start, or sent where none was chosen.
  test.each([undefined, 'acc_2'])('is for the chosen account: %j', async (account) => {
    const { client, asked } = setup({ statuses: [200], ...(account !== undefined && { account }) });
    await client.post('/v1/user/leave');
    await readAll(client.deploy(deploy));
    expect(asked.map(({ headers }) => headers.get('x-account'))).toEqual([account ?? null, account ?? null]);
  });
});

describe('a call that is refused with 401', () => {
  test('runs once more after its person has signed in again', async () => {
    const { client, asked, renewals } = setup({ statuses: [401, 200] });
    await client.get('/v1/user');
    expect([asked.length, renewals.length]).toEqual([2, 1]);
  });

  test('fails when nobody signs in', async () => {
    const { client, asked } = setup({ statuses: [401], isRenewed: false });
    await expect(client.get('/v1/user')).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(asked).toHaveLength(1);
  });

  // Fails when a wrong password opens the dialog of an expired session.
  test('is final where it means a wrong password', async () => {
    const { client, renewals } = setup({ statuses: [401] });
    const body = { email: 'ada@example.org', password: 'wrong' };
    await expect(client.post('/v1/auth/sign-in/email', { body })).rejects.toMatchObject({ status: 401 });
    expect(renewals).toEqual([]);
  });

  // Fails when an upload is given up, or tried without end.
  test('is an upload that is sent once more, and no more', async () => {
    const once = setup({ statuses: [401, 200] });
    await readAll(once.client.deploy(deploy));
    expect([once.asked.length, once.renewals.length]).toEqual([2, 1]);
    const never = setup({ statuses: [401, 401] });
    await expect(readAll(never.client.deploy(deploy))).rejects.toMatchObject({ status: 401 });
    expect(never.asked).toHaveLength(2);
  });

  test('hands its signal to the renewal, so that it can be given up', async () => {
    const { client, renewals } = setup({ statuses: [401, 200] });
    const { signal } = new AbortController();
    await client.get('/v1/user', { signal });
    expect(renewals[0]).toBeInstanceOf(AbortSignal);
  });
});
