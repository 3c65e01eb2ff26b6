import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MailServer, startMailServer } from '@berth/mail/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Berth, startBerth } from '../harness/berth.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';

let mailServer: MailServer;
let berth: Berth;
const folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-mail-'));

beforeAll(async () => {
  mailServer = await startMailServer();
  const ca = path.join(folder.path, 'ca.pem');
  writeFileSync(ca, mailServer.ca);
  berth = await startBerth({
    env: { BERTH_SMTP_URL: mailServer.url, BERTH_SMTP_FROM: 'Berth <berth@example.com>', BERTH_SMTP_CA: ca },
  });
});

afterAll(async () => {
  await berth?.close();
  await mailServer?.[Symbol.asyncDispose]();
  folder.remove();
});

const linkIn = (text: string) => new URL(/https?:\S+/.exec(text)?.[0] ?? '');

/** Sends JSON without a credential. */
const send = async (route: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await fetch(berth.url + route, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as { token: string; detail: string } };
};

it('a person joins with the link of an invitation that was mailed, and is signed in', async () => {
  const email = 'ada@example.com';
  const invited = await berth.post('/v1/user/invites', { role: 'admin', email });
  expect(await invited.json()).toMatchObject({ is_mailed: true });
  const mail = await mailServer.take(({ to }) => to.includes(email));
  expect(mail).toMatchObject({
    from: 'berth@example.com',
    isEncrypted: true,
    subject: 'Invitation to join operator on Berth',
  });
  const link = linkIn(mail.text);
  const person = { email, password: 'a long password of Ada', name: 'Ada' };
  const joined = await send('/v1/auth/invites/accept', { ...person, token: link.hash.slice(1) });
  expect([link.pathname, joined.status]).toEqual(['/join', 200]);
  const me = await fetch(`${berth.url}/v1/user`, { headers: { Authorization: `Bearer ${joined.body.token}` } });
  expect(await me.json()).toMatchObject({ user: { email }, role: 'admin' });
});

it('a forgotten password is replaced with the mailed link, which ends the other sessions', async () => {
  const email = 'ada@example.com';
  const before = await send('/v1/auth/sign-in/email', { email, password: 'a long password of Ada' });
  const headers = { 'Accept-Language': 'ar', Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' };
  const known = await send('/v1/auth/password-reset/request', { email }, headers);
  const unknown = await send('/v1/auth/password-reset/request', { email: 'nobody@example.com' }, headers);
  expect(known).toEqual(unknown);
  const mail = await mailServer.take(({ subject }) => subject.includes('كلمة مرورك'));
  const link = linkIn(mail.text);
  expect([mail.to, link.host]).toEqual([[email], `localhost:${berth.port}`]);
  const password = 'a new long password';
  const reset = { token: link.hash.slice(1), password };
  expect((await send('/v1/auth/password-reset', reset)).status).toBe(200);
  expect((await send('/v1/auth/password-reset', reset)).status).toBe(404);
  const old = { headers: { Authorization: `Bearer ${before.body.token}` } };
  expect((await fetch(`${berth.url}/v1/user`, old)).status).toBe(401);
  expect((await send('/v1/auth/sign-in/email', { email, password })).status).toBe(200);
});

it('a mail that was decided survives the mail server’s failure and kill -9', async () => {
  mailServer.refuse({ code: 451, message: 'Try again later' });
  const email = 'late@example.com';
  await berth.post('/v1/user/invites', { email });
  await berth.kill9();
  mailServer.refuse(undefined);
  await berth.start();
  // At once if the attempt hadn't begun, otherwise after the first backoff of 30 s.
  const mail = await mailServer.take(({ to }) => to.includes(email));
  expect(mail.subject).toContain('Invitation');
});

it('the commands of docs/guides/mail.md work as they stand', async () => {
  const shell = openGuideShell(berth, folder.path);
  const printed: string[] = [];
  for (const block of guideBlocks('mail', 'sh')) printed.push(await shell.run(block));
  expect(printed.length).toBeGreaterThan(0);
  expect(printed.join()).toContain('The mail server accepted the mail to you@example.com.');
  expect((await mailServer.take(({ to }) => to.includes('you@example.com'))).subject).toBe('Test message from Berth');
});
