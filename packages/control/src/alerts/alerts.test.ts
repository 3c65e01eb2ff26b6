import { expect, test } from 'vitest';
import { createAlertFixture } from './testing/alert-fixture.ts';

const CRASHES = { title: 'Shop crashes', condition: { type: 'crash_loop', crashes: 3, window_seconds: 60 } };

test('a crash loop fires once over mail and webhook, and resolves once when it was over for a while', async () => {
  await using fixture = await createAlertFixture();
  const { call, alerts, crash, until, receiver, mails, clock } = fixture;
  const channels = { emails: ['alice@example.com'], webhook_url: receiver.url, resolve_after_seconds: 60 };
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, deployment_name: 'shop-alice', ...channels });
  expect(alert.webhook_secret).toMatch(/^whsec_/);
  alerts.start();
  await clock.elapse(11_000);
  crash('blog-alice', 5);
  crash('shop-alice', 2);
  await clock.elapse(11_000);
  expect((await call('GET', '/v1/alerts')).body[0].firing).toEqual([]);
  crash('shop-alice', 1);
  await until('it fires', () => receiver.received.length === 1);
  const [fired] = receiver.received;
  const payload = receiver.verify(fired as never, alert.webhook_secret);
  expect(payload).toMatchObject({ type: 'alert.firing', data: { deployment_name: 'shop-alice', alert_id: alert.id } });
  expect((await call('GET', '/v1/alerts')).body[0].firing).toMatchObject([{ deployment_name: 'shop-alice' }]);
  // It goes on: no further notification.
  crash('shop-alice', 9);
  await clock.elapse(30_000);
  await until('it resolves', () => receiver.received.length === 2);
  const resolved = receiver.verify(receiver.received[1] as never, alert.webhook_secret);
  expect([resolved.type, receiver.received[1]?.id === fired?.id]).toEqual(['alert.resolved', false]);
  await clock.elapse(120_000);
  expect(receiver.received).toHaveLength(2);
  const mail = { kind: 'alert', recipient: 'alice@example.com' };
  expect(await mails()).toEqual([mail, mail]);
  const { body: history } = await call('GET', `/v1/alerts/history?id=${alert.id}`);
  expect(history.map(({ kind }: { kind: string }) => kind)).toEqual(['resolved', 'firing']);
  expect(history[0].deliveries).toMatchObject([
    { channel: 'webhook', state: 'sent', attempts: 1 },
    { channel: 'email', target: 'alice@example.com', state: 'queued' },
  ]);
});

// Fails when a condition that holds now and then sends a notification each time.
test('a condition that comes back within the time to resolve is one alert', async () => {
  await using fixture = await createAlertFixture();
  const { call, alerts, crash, until, receiver, clock } = fixture;
  await call('POST', '/v1/alerts', { ...CRASHES, webhook_url: receiver.url, resolve_after_seconds: 300 });
  alerts.start();
  await clock.elapse(11_000);
  crash('shop-alice', 3);
  await until('it fires', () => receiver.received.length === 1);
  for (let i = 0; i < 3; i++) {
    await clock.elapse(120_000);
    crash('shop-alice', 3);
  }
  await clock.elapse(60_000);
  expect(receiver.received).toHaveLength(1);
});

test.each([
  ['error_rate', { percent: 5, window_seconds: 60 }, { status: 500, latencyMs: 1 }],
  ['latency_p95', { milliseconds: 500, window_seconds: 60 }, { status: 200, latencyMs: 900 }],
])('%s fires above its limit and with enough requests only', async (type, limits, bad) => {
  await using fixture = await createAlertFixture();
  const { call, alerts, request, until, clock } = fixture;
  await call('POST', '/v1/alerts', { title: type, condition: { type, min_requests: 20, ...limits } });
  alerts.start();
  await clock.elapse(11_000);
  request('shop-alice', 200, 10, 100);
  request('blog-alice', bad.status, bad.latencyMs, 19);
  request('shop-bob', bad.status, bad.latencyMs, 100);
  await clock.elapse(20_000);
  const firing = async () => (await call('GET', '/v1/alerts')).body[0].firing;
  expect(await firing()).toEqual([]);
  request('shop-alice', bad.status, bad.latencyMs, 10);
  await until('it fires', async () => (await firing()).length > 0);
  expect(await firing()).toMatchObject([{ deployment_name: 'shop-alice' }]);
});

test('a failed deploy, a budget and full storage fire', async () => {
  await using fixture = await createAlertFixture();
  const { call, alerts, until, db, clock } = fixture;
  const create = (condition: object) => call('POST', '/v1/alerts', { title: 'x', condition, resolve_after_seconds: 0 });
  for (const condition of [
    { type: 'deploy_failed' },
    { type: 'budget', amount: 5 },
    { type: 'storage', percent: 80 },
  ]) {
    expect((await create(condition)).status).toBe(200);
  }
  alerts.start();
  await clock.elapse(11_000);
  const firing = async () =>
    (await call('GET', '/v1/alerts')).body.map((one: { firing: object[] }) => one.firing.length);
  expect(await firing()).toEqual([0, 0, 0]);
  const deploy = {
    account_id: 'acc_alice',
    deployment: 'shop-alice',
    kind: 'deploy' as const,
    attempts: 1,
    is_cancel_requested: 0,
  };
  const nothing = {
    settings: null,
    archive: null,
    target_revision: null,
    changes: null,
    revision: null,
    released_at: null,
  };
  const place = { actor_kind: null, actor_id: null, lease_owner: null, lease_expires_at: null, last_seq: 0 };
  const time = { created_at: clock.nowMs(), updated_at: clock.nowMs(), ended_at: clock.nowMs() };
  const end = (id: string, number: number, step: 'failed' | 'done', code: string | null) =>
    db
      .insertInto('deploys')
      .values({ ...deploy, ...nothing, ...place, ...time, id, number, step, code })
      .execute();
  await end('dpl_1', 1, 'failed', 'build_failed');
  const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
  const usage = {
    account_id: 'acc_alice',
    resource: 'shop-alice',
    sku: 'cpu',
    currency: 'USD',
    amount: 1,
    updated_at: 0,
  };
  await db
    .insertInto('usage')
    .values({ ...usage, day, cost: 5.2 })
    .execute();
  const volume = {
    account_id: 'acc_alice',
    name: 'data',
    storage_id: 'data',
    object_count: 1,
    counted_at: 0,
    created_at: 0,
  };
  await db
    .insertInto('volumes')
    .values({ ...volume, size_bytes: 900 })
    .execute();
  await until('all fire', async () => (await firing()).every((count: number) => count === 1));
  const { body: history } = await call('GET', '/v1/alerts/history');
  const messages = history.map(({ message }: { message: string }) => message).join(' ');
  for (const part of ['build_failed', '5.20 USD', '90.0 %']) expect(messages).toContain(part);
  await end('dpl_2', 2, 'done', null);
  await until('the deploy’s alert resolves', async () => (await firing())[0] === 0);
});

// Fails when an attempt isn't recorded before it, or gets a new id.
test('a webhook that failed is repeated with the same id, also by another server, and given up in the end', async () => {
  await using fixture = await createAlertFixture();
  const { call, alerts, boot, until, receiver, db } = fixture;
  receiver.state.status = 500;
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, webhook_url: receiver.url });
  await call('POST', '/v1/alerts/test', { id: alert.id });
  alerts.start();
  await until('it is tried twice', () => receiver.received.length === 2);
  await alerts.close(0).catch(() => {});
  const other = boot('two');
  receiver.state.status = 200;
  other.alerts.start();
  await until('another server delivers it', () => receiver.received.length === 3);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  const delivery = async () => (await call('GET', '/v1/alerts/history')).body[0].deliveries[0];
  await until('it is recorded', async () => (await delivery()).state === 'sent');
  // A redirect is a failure, and is not followed.
  receiver.state.status = 302;
  await fixture.clock.elapse(11_000);
  await call('POST', '/v1/alerts/test', { id: alert.id });
  await db.updateTable('alert_deliveries').set({ attempts: 12 }).where('state', '=', 'queued').execute();
  await until('it is given up', async () => (await delivery()).state === 'dead');
  expect((await delivery()).last_error).toBe('The receiver answered 302.');
  void other.alerts.close(0);
});

test('a webhook’s secret is shown once, sealed, and replaced at once', async () => {
  await using fixture = await createAlertFixture();
  const { call, alerts, until, receiver, db } = fixture;
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, webhook_url: receiver.url });
  const { body: rotated } = await call('POST', '/v1/alerts/rotate-secret', { id: alert.id });
  const { body: listed } = await call('GET', '/v1/alerts');
  const stored = JSON.stringify(await db.selectFrom('alert_rules').selectAll().execute());
  for (const { webhook_secret: secret } of [alert, rotated]) {
    expect([secret.length > 40, stored.includes(secret), JSON.stringify(listed).includes(secret)]).toEqual([
      true,
      false,
      false,
    ]);
  }
  await call('POST', '/v1/alerts/test', { id: alert.id });
  alerts.start();
  await until('it arrives', () => receiver.received.length === 1);
  const [request] = receiver.received;
  expect(() => receiver.verify(request as never, alert.webhook_secret)).toThrow();
  expect(receiver.verify(request as never, rotated.webhook_secret).type).toBe('alert.test');
  expect(() =>
    receiver.verify({ ...(request as never as object), body: '{}' } as never, rotated.webhook_secret),
  ).toThrow();
});

// Fails when a webhook reaches this machine, its network or its cloud's metadata.
test.each([
  ['https://127.0.0.1/', []],
  ['https://169.254.169.254/latest/meta-data/', []],
  ['https://[::1]/', []],
  ['https://10.1.2.3/', []],
  ['https://[::ffff:127.0.0.1]/', []],
  ['https://inside.example/', ['203.0.113.7', '10.0.0.1']],
])('a webhook at %s is never connected to', async (url, addresses) => {
  await using fixture = await createAlertFixture({ webhookNetworks: [], resolve: async () => addresses });
  const { call, alerts, until } = fixture;
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, webhook_url: url });
  await call('POST', '/v1/alerts/test', { id: alert.id });
  alerts.start();
  const delivery = async () => (await call('GET', '/v1/alerts/history')).body[0].deliveries[0];
  await until('it is refused', async () => (await delivery()).last_error !== null);
  expect((await delivery()).last_error).toMatch(/non-public address/);
});

test.each([
  'http://hooks.example/',
  'https://user:password@hooks.example/',
  'ftp://hooks.example/',
  'file:///etc/passwd',
])('the URL %s is refused', async (webhook_url) => {
  await using fixture = await createAlertFixture({ webhookNetworks: [] });
  expect((await fixture.call('POST', '/v1/alerts', { ...CRASHES, webhook_url })).status).toBe(422);
});

test('mail goes to confirmed addresses of members only', async () => {
  await using fixture = await createAlertFixture();
  const { call, db, mails } = fixture;
  for (const email of ['bob@example.com', 'nobody@example.com', 'alice@example.com\r\nBcc: eve@example.com']) {
    expect((await call('POST', '/v1/alerts', { ...CRASHES, emails: [email] })).status).toBe(422);
  }
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, emails: ['alice@example.com'] });
  await db.updateTable('auth_users').set({ email_verified: 0 }).where('id', '=', 'usr_alice').execute();
  await call('POST', '/v1/alerts/test', { id: alert.id });
  expect(await mails()).toEqual([]);
  expect((await call('POST', '/v1/alerts', { ...CRASHES, emails: ['alice@example.com'] })).status).toBe(422);
});

test('another account’s alerts can’t be seen, changed, tested or removed, and its deployments can’t be watched', async () => {
  await using fixture = await createAlertFixture();
  const { call, receiver } = fixture;
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, webhook_url: receiver.url });
  const { id } = alert;
  const asBob = (method: string, route: string, json?: unknown) => call(method, route, json, 'bob');
  const answers = [
    await asBob('POST', '/v1/alerts/update', { id, title: 'mine' }),
    await asBob('POST', '/v1/alerts/test', { id }),
    await asBob('POST', '/v1/alerts/rotate-secret', { id }),
    await asBob('DELETE', `/v1/alerts?id=${id}`),
    await asBob('GET', `/v1/alerts/history?id=${id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect((await asBob('GET', '/v1/alerts')).body).toEqual([]);
  expect((await asBob('GET', '/v1/alerts/history')).body).toEqual([]);
  expect((await asBob('POST', '/v1/alerts', { ...CRASHES, deployment_name: 'shop-alice' })).status).toBe(403);
  expect((await call('GET', '/v1/alerts')).body).toMatchObject([{ id, title: CRASHES.title }]);
});

test('an alert is changed, disabled and removed, and tests are limited', async () => {
  await using fixture = await createAlertFixture();
  const { call, receiver, alerts, crash, until, clock } = fixture;
  const { body: alert } = await call('POST', '/v1/alerts', { ...CRASHES, webhook_url: receiver.url });
  const { id } = alert;
  expect((await call('POST', '/v1/alerts/test', { id })).status).toBe(200);
  expect((await call('POST', '/v1/alerts/test', { id })).status).toBe(429);
  alerts.start();
  await clock.elapse(11_000);
  crash('shop-alice', 3);
  await until('it fires', () => receiver.received.length === 2);
  const { body: off } = await call('POST', '/v1/alerts/update', { id, title: 'New', is_enabled: false });
  expect(off).toMatchObject({ title: 'New', is_enabled: false, firing: [], webhook_secret: null });
  crash('shop-alice', 3);
  await clock.elapse(30_000);
  expect(receiver.received).toHaveLength(2);
  expect((await call('DELETE', `/v1/alerts?id=${id}`)).status).toBe(200);
  expect((await call('GET', '/v1/alerts')).body).toEqual([]);
});

test('a certificate that expires soon fires for the deployment of its domain, until it is renewed', async () => {
  const DAY_MS = 86_400_000;
  let served: { names: string[]; notAfterMs: number }[] = [];
  await using fixture = await createAlertFixture({ certificates: () => served });
  const { call, alerts, db, clock } = fixture;
  const claim = (domain: string, deployment: string, status: 'active' | 'pending') =>
    db
      .insertInto('domains')
      .values({
        ...{ account_id: 'acc_alice', domain, deployment, status, token: domain, proof: 'p', created_at: 0 },
        verified_at: status === 'active' ? 0 : null,
      })
      .execute();
  await claim('shop.example.com', 'shop-alice', 'active');
  await claim('www.blog.example.com', 'blog-alice', 'active');
  await claim('soon.example.com', 'shop-alice', 'pending');
  const at = (days: number) => clock.nowMs() + days * DAY_MS;
  served = [
    { names: ['shop.example.com'], notAfterMs: at(13.5) },
    { names: ['soon.example.com'], notAfterMs: at(1) },
    { names: ['*.example.com'], notAfterMs: at(1) },
    { names: ['*.blog.example.com'], notAfterMs: at(20) },
  ];
  await call('POST', '/v1/alerts', {
    title: 'x',
    condition: { type: 'certificate_expiring' },
    resolve_after_seconds: 0,
  });
  alerts.start();
  await clock.elapse(21_000);
  const state = async () => (await call('GET', '/v1/alerts')).body[0].firing;
  expect(await state()).toMatchObject([{ deployment_name: 'shop-alice' }]);
  const [event] = (await call('GET', '/v1/alerts/history')).body;
  expect(event.message).toBe('The certificate of shop.example.com expires in 14 days.');
  served.push({ names: ['shop.example.com'], notAfterMs: at(90) });
  await clock.elapse(21_000);
  expect(await state()).toEqual([]);
});
