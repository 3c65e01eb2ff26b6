import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MailServer, type ReceivedMail, startMailServer } from '@berth/mail/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Berth, startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

let mailServer: MailServer;
let berth: Berth;
let receiver: Server;
const received: { readonly headers: Record<string, string>; readonly body: string }[] = [];

beforeAll(async () => {
  mailServer = await startMailServer({ hasTls: false });
  receiver = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      received.push({ headers: incoming.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  berth = await startBerth({
    env: {
      ...{ BERTH_SMTP_URL: mailServer.url, BERTH_SMTP_FROM: 'berth@example.com' },
      BERTH_WEBHOOK_NETWORKS: '127.0.0.1/32',
    },
  });
});

afterAll(async () => {
  await berth?.close();
  await mailServer?.[Symbol.asyncDispose]();
  receiver?.close();
});

const CRASHING = `require('node:http').createServer((request, response) => {
  if (request.url === '/crash') process.exit(1);
  response.end('up');
}).listen(process.env.PORT);`;

/** A person of the first account whose address is confirmed, as alerts require. */
async function joinConfirmed(email: string): Promise<void> {
  const { link } = (await (await berth.post('/v1/user/invites', {})).json()) as { link: string };
  const send = async (route: string, body: object, token?: string) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const answer = await fetch(berth.url + route, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { token: string; email: string };
  };
  const person = { email, password: 'a long password of Ada', name: 'Ada', token: new URL(link).hash.slice(1) };
  const { token } = await send('/v1/auth/invites/accept', person);
  await send('/v1/user/email', { email }, token);
  const { text } = await mailServer.take(({ to }) => to.includes(email));
  expect(await send('/v1/auth/email/confirm', { token: /#([\w-]+)/.exec(text)?.[1] })).toEqual({ email });
}

it('a service that crashes causes one mail and one webhook, and both again when it is over', {
  timeout: 240_000,
}, async () => {
  await joinConfirmed('ada@example.com');
  await deployed(berth, 'shop', { files: { 'package.json': '{"main":"a.js"}', 'a.js': CRASHING } });
  const { port } = receiver.address() as AddressInfo;
  const created = await berth.post('/v1/alerts', {
    title: 'Shop crashes',
    condition: { type: 'crash_loop', crashes: 2, window_seconds: 60 },
    deployment_name: 'shop',
    emails: ['ada@example.com'],
    webhook_url: `http://127.0.0.1:${port}/hook`,
    resolve_after_seconds: 0,
  });
  const alert = (await created.json()) as { id: string; webhook_secret: string };
  await waitFor(
    'it fires',
    async () => {
      await request(berth, 'shop', '/crash').catch(() => {});
      return received.length > 0;
    },
    { timeoutMs: 60_000 },
  );
  const events = () => received.map(({ body, headers }) => new Webhook(alert.webhook_secret).verify(body, headers));
  const data = { alert_id: alert.id, deployment_name: 'shop' };
  expect(events()).toMatchObject([{ type: 'alert.firing', data }]);
  const mail = await mailServer.take(({ subject }) => subject === 'Alert: Shop crashes');
  expect([mail.to, mail.text]).toEqual([
    ['ada@example.com'],
    expect.stringContaining('shop crashed or failed to start'),
  ]);
  await berth.kill9();
  await berth.start();
  const isResolved = (event: unknown) => (event as { type: string }).type === 'alert.resolved';
  await waitFor('it resolves', () => events().some(isResolved), { timeoutMs: 120_000 });
  expect(events().at(-1)).toMatchObject({ type: 'alert.resolved', data });
  const last = await mailServer.take(({ subject }) => subject === 'Resolved: Shop crashes');
  // A server that is killed before it knows that a notification arrived sends it again, with the same id.
  const idOf = ({ headers }: ReceivedMail) => headers.find((line) => line.startsWith('Message-ID: '));
  const others = mailServer.mails.filter(({ subject }) => subject.includes('Shop'));
  expect([idOf(mail), idOf(last)]).toEqual(expect.arrayContaining(others.map(idOf)));
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
});

it('the commands of docs/guides/alerts.md work as they stand', async () => {
  await joinConfirmed('you@example.com');
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-alerts-'));
  const shell = openGuideShell(berth, folder.path);
  const printed: string[] = [];
  for (const block of guideBlocks('alerts', 'sh')) printed.push(await shell.run(block));
  expect(printed.join()).toMatch(/alr_\w+[\s\S]*whsec_/);
});
