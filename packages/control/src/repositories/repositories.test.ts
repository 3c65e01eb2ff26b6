import { createError } from '@berth/contract';
import { expect, test } from 'vitest';
import { createRepositoryFixture, pullRequest, push, sha } from './testing/repository-fixture.ts';

test('a push deploys its commit, and the forge is told', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, forge, fetched, settings } = fixture;
  settings.set(sha('a'), { memory: '1Gi' });
  const repository = await connect({ token: 'good', hook_secret: null });
  // Berth made the webhook, so nobody has to paste the secret.
  expect([repository.hook_secret, repository.has_token]).toEqual([null, true]);
  const [hook] = forge.hooks.values();
  expect(hook).toMatchObject({ type: 'gitea', events: ['push'], config: { url: repository.hook_url } });
  const secret = (hook as { config: { secret: string } }).config.secret;

  expect(await send(repository, 'push', push(sha('a')), secret)).toMatchObject({ status: 200 });
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  const [run] = (await show()).runs;
  expect(run).toMatchObject({ commit: sha('a'), title: 'Commit a', pull_request: null, error: null });
  expect(fetched).toMatchObject([
    { sha: sha('a'), url: `${forge.origin}/me/app.git`, credentials: { username: 'x-access-token', password: 'good' } },
  ]);
  await until('it is reported', () => forge.statuses().at(-1)?.state === 'success');
  expect(new Set(forge.statuses().map((status) => status.sha))).toEqual(new Set([sha('a')]));
  expect(forge.statuses().at(-1)).toMatchObject({
    context: 'berth/app',
    target_url: 'http://localhost:8787/deployments/app?tab=deploys',
  });
  const { body } = await fixture.call('GET', '/v1/deployment/app');
  expect([body.memory, body.status]).toEqual(['1Gi', 'ready']);
});

test.each([
  ['gitea', 'good', { read_only: true }],
  ['github', 'good', { read_only: true }],
  ['gitlab', 'good', { can_push: false }],
  ['gitea', 'reader', undefined],
])('a deploy key fetches by SSH, on %s with the token %s', async (kind, token, added) => {
  await using fixture = await createRepositoryFixture();
  const { call, connect, send, until, forge, fetched, platform } = fixture;
  const repository = await connect({ token, forge: kind, deploy_key: true });
  const { deploy_key: key } = repository;
  expect(key).toMatch(/^ssh-ed25519 \S+ berth-app$/);
  expect(repository.must_add_deploy_key).toBe(added === undefined);
  expect([...forge.keys.values()]).toMatchObject(added ? [{ key, title: 'Berth: app', ...added }] : []);
  const rows = await platform.run.db.selectFrom('repositories').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY');
  if (kind === 'gitea' && added === undefined) {
    await send(repository, 'push', push(sha('a')));
    await until('it is fetched', () => fetched.length === 1);
    const url = 'ssh://git@127.0.0.1/me/app.git';
    expect(fetched[0]).toMatchObject({ url, credentials: undefined, deployKey: { hostKey: `SHA256:${url}` } });
    expect(fetched[0]?.deployKey?.privateKey).toContain('BEGIN OPENSSH PRIVATE KEY');
  }
  await call('DELETE', '/v1/repositories?deployment_name=app');
  await until('the row is gone', async () => {
    return (await platform.run.db.selectFrom('repositories').selectAll().execute()).length === 0;
  });
  expect([forge.keys.size, forge.hooks.size]).toEqual([0, 0]);
});

test('an address for SSH needs a deploy key, and no other protocol is one', async () => {
  await using fixture = await createRepositoryFixture();
  await expect(fixture.connect({ ssh_url: 'ssh://git@127.0.0.1/me/app.git' })).rejects.toThrow('needs deploy_key');
  await expect(fixture.connect({ deploy_key: true, ssh_url: 'file:///etc' })).rejects.toThrow('422');
  const moved = await fixture.connect({ deploy_key: true, ssh_url: 'ssh://git@127.0.0.1:2222/me/app.git' });
  expect(moved).toMatchObject({ ssh_url: 'ssh://git@127.0.0.1:2222/me/app.git', must_add_deploy_key: true });
});

test('without a token the secret is printed once, and only pushes to the branch deploy', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, clock, forge } = fixture;
  const repository = await connect({ branch: 'release' });
  expect(repository.hook_secret).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(await show())).not.toContain(repository.hook_secret);
  await send(repository, 'push', push(sha('a')));
  await send(repository, 'push', push(sha('0'), { ref: 'refs/heads/release' }));
  await send(repository, 'push', push(sha('b'), { ref: 'refs/tags/release' }));
  await clock.elapse(5_000);
  expect((await show()).runs).toEqual([]);
  await send(repository, 'push', push(sha('c'), { ref: 'refs/heads/release' }));
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  expect(forge.calls).toEqual([]);
});

test('with a folder, only pushes that change files below it deploy', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, fetched } = fixture;
  const repository = await connect({ folder: 'services/api' });
  const other = [{ id: sha('a'), message: '', added: ['services/api2/x'], removed: [], modified: ['README.md'] }];
  const { body } = await send(repository, 'push', push(sha('a'), { commits: other }));
  expect(body).toContain('Nothing below services/api has changed');
  await send(repository, 'push', push(sha('b')));
  await until('one is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  // The forge names only the newest commits of a long push, so it may have changed the folder.
  await send(repository, 'push', push(sha('c'), { commits: other, total_commits: 9 }));
  await until('the other is deployed', async () => (await show()).runs[0]?.commit === sha('c'));
  expect(fetched.map(({ folder, sha: commit }) => [folder, commit[0]])).toEqual([
    ['services/api', 'b'],
    ['services/api', 'c'],
  ]);
});

// Fails when a request is acted on without its signature, twice, or when the answer tells which repositories exist.
test('forged, repeated and oversized requests deploy nothing and learn nothing', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, post, until, clock } = fixture;
  const repository = await connect();
  const other = await connect({ deployment_name: 'other' });
  const wrong = await send(repository, 'push', push(sha('a')), 'another secret');
  const unknown = await send({ ...repository, id: 'rep_unknown' }, 'push', push(sha('a')));
  const unsigned = await post(`/v1/hooks/git/${repository.id}`, { 'x-gitea-event': 'push' }, '{}');
  // Signed with the secret of another repository.
  const swapped = await send(repository, 'push', push(sha('a')), other.hook_secret ?? '');
  const answers = [wrong, unknown, unsigned, swapped].map(({ status, body }) => [
    status,
    body.replace(/"request_id":"[^"]*"/, ''),
  ]);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(wrong.status).toBe(404);
  const large = await post(`/v1/hooks/git/${repository.id}`, {}, 'x'.repeat(5_242_881));
  expect(large.status).toBe(413);
  expect((await show()).runs).toEqual([]);

  await send(repository, 'push', push(sha('a')));
  const again = await send(repository, 'push', push(sha('a')));
  expect([again.status, again.body]).toEqual([200, expect.stringContaining('received before')]);
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  await send(repository, 'push', push(sha('b')));
  await until('the next is deployed', async () => (await show()).runs[0]?.commit === sha('b'));
  // A thief who has a request can't bring the old commit back.
  await send(repository, 'push', push(sha('a')));
  await clock.elapse(5_000);
  expect((await show()).runs.map(({ commit }) => commit[0])).toEqual(['b', 'a']);
});

// Fails when a forge that goes wild fills the database.
test('a repository may send 60 events in a minute', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, clock } = fixture;
  const repository = await connect();
  const statuses: number[] = [];
  for (let i = 0; i < 62; i++) {
    const { status } = await send(repository, 'push', push(i.toString(16).padStart(40, 'a')));
    statuses.push(status);
  }
  expect(statuses.lastIndexOf(200)).toBe(59);
  expect(statuses.slice(60)).toEqual([429, 429]);
  await clock.elapse(61_000);
  // It was not recorded, so it isn't a repetition now.
  const again = await send(repository, 'push', push((61).toString(16).padStart(40, 'a')));
  expect(again.body).toContain('queued');
});

test('a pull request has a preview with one comment until it is closed', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, send, show, until, forge, platform } = fixture;
  await platform.deploy('app', {
    fields: { volumes: '{"/data":"files"}', schedule: '*/5 * * * *', min_instances: '1', memory: '1Gi' },
  });
  await call('POST', '/v1/env/set', {
    deployment_name: 'app',
    set: { LEVEL: 'debug', PASSWORD: 'hunter2' },
    plain: ['LEVEL'],
  });
  const repository = await connect({ token: 'reader', previews: true });
  // The token can't manage webhooks, so the secret is to be pasted.
  expect(repository.hook_secret).toMatch(/^[0-9a-f]{64}$/);
  const variables = { deployment_name: 'app', set: { DATABASE_URL: 'postgres://preview' } };
  expect((await call('POST', '/v1/repositories/preview-env', variables)).body.preview_variables).toEqual([
    'DATABASE_URL',
  ]);
  await send(repository, 'pull_request', pullRequest('opened', 7, sha('a')));
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  await until('the comment has the address', () => [...forge.comments.values()].join().includes('app-pr-7.localhost'));
  expect((await show()).previews).toMatchObject([{ pull_request: 7, deployment_name: 'app-pr-7' }]);
  const preview = (await call('GET', '/v1/deployment/app-pr-7')).body;
  expect(preview).toMatchObject({ memory: '1Gi', volumes: {}, schedule: null, min_instances: 0 });
  const keys = (await call('GET', '/v1/env/list?name=app-pr-7')).body.map((row: { key: string }) => row.key);
  // Never the secret of the deployment.
  expect(keys).toEqual(['DATABASE_URL', 'LEVEL']);

  await send(repository, 'pull_request', pullRequest('synchronized', 7, sha('b')));
  await until('it is deployed again', async () => (await show()).runs[0]?.status === 'succeeded');
  await until('the comment names the commit', () =>
    [...forge.comments.values()].join().includes(sha('b').slice(0, 10)),
  );
  expect(forge.comments.size).toBe(1);
  expect(forge.statuses().at(-1)).toMatchObject({ context: 'berth/app (preview)', sha: sha('b') });

  await send(repository, 'pull_request', pullRequest('closed', 7, sha('b')));
  await until('it is deleted', async () => (await call('GET', '/v1/deployment/app-pr-7')).status === 404);
  await until('the comment says so', () => [...forge.comments.values()].join().includes('deleted'));
  expect([(await show()).previews, forge.comments.size]).toEqual([[], 1]);
  expect((await call('GET', '/v1/deployment/app')).body.status).toBe('ready');
});

test('a pull request that changes nothing below the folder gets no preview', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, send, show, until, platform, forge } = fixture;
  await platform.deploy('app');
  const repository = await connect({ token: 'reader', previews: true, folder: 'services/api' });
  forge.files = ['README.md', 'services/api2/x'];
  await send(repository, 'pull_request', pullRequest('opened', 1, sha('a')));
  await until('it is skipped', async () => (await show()).runs[0]?.status === 'skipped');
  await until('the forge is told', () => forge.statuses().at(-1)?.state === 'success');
  expect([(await show()).previews, forge.comments.size]).toEqual([[], 0]);
  expect((await call('GET', '/v1/deployment/app-pr-1')).status).toBe(404);
  forge.files = ['README.md', 'services/api/x'];
  await send(repository, 'pull_request', pullRequest('synchronized', 1, sha('b')));
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  expect((await show()).previews).toHaveLength(1);
});

// Fails when a secret reaches a preview through a variable that isn't secret itself.
test('plain variables that refer to secrets stay out of previews', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, send, show, until, platform } = fixture;
  await platform.deploy('app');
  await call('POST', '/v1/env/shared/set', { set: { SECRET: 'hunter2', REGION: 'eu' }, plain: ['REGION'] });
  const set = { A: '${{ shared.SECRET }}', B: '${{ shared.REGION }}', C: 'c' };
  await call('POST', '/v1/env/set', { deployment_name: 'app', set, plain: ['A', 'B', 'C'] });
  const repository = await connect({ previews: true });
  const external = { deployment_name: 'app', set: { D: '${{ external.vault }}' } };
  expect((await call('POST', '/v1/repositories/preview-env', external)).status).toBe(422);
  await send(repository, 'pull_request', pullRequest('opened', 1, sha('a')));
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  const variables = (await call('GET', '/v1/env/list?name=app-pr-1')).body;
  expect(variables).toMatchObject([
    { key: 'B', value: 'eu' },
    { key: 'C', value: 'c' },
  ]);
});

// Fails when code that a stranger wrote is built, or when a pull request takes over a deployment.
test('forks, other bases and taken names get no preview', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, platform, clock } = fixture;
  await platform.deploy('app');
  await platform.deploy('app-pr-3');
  const off = await connect({ deployment_name: 'other' });
  expect((await send(off, 'pull_request', pullRequest('opened', 1, sha('a')))).body).toContain('Previews are off');
  const repository = await connect({ previews: true });
  const fork = await send(repository, 'pull_request', pullRequest('opened', 1, sha('a'), { fork: true }));
  expect(fork.body).toContain('forks get no preview');
  await send(repository, 'pull_request', pullRequest('opened', 2, sha('a'), { base: 'develop' }));
  await clock.elapse(5_000);
  expect((await show()).runs).toEqual([]);
  await send(repository, 'pull_request', pullRequest('opened', 3, sha('a')));
  await until('it fails', async () => (await show()).runs[0]?.status === 'failed');
  expect((await show()).runs[0]?.error).toContain('"app-pr-3" exists already');
  await send(repository, 'pull_request', pullRequest('closed', 3, sha('a')));
  await until('its preview is gone', async () => (await show()).previews.length === 0);
  expect((await fixture.call('GET', '/v1/deployment/app-pr-3')).body.status).toBe('ready');
});

test('a preview without pushes is deleted after its time to live', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, send, show, until, clock } = fixture;
  const repository = await connect({ previews: true, preview_ttl_seconds: 3_600 });
  await fixture.platform.deploy('app');
  await send(repository, 'pull_request', pullRequest('opened', 1, sha('a')));
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  await clock.elapse(3_000_000);
  expect((await call('GET', '/v1/deployment/app-pr-1')).status).toBe(200);
  await clock.elapse(700_000);
  await until('it is deleted', async () => (await call('GET', '/v1/deployment/app-pr-1')).status === 404);
});

test('what was received before a kill is deployed and reported after it, once', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, forge, platform } = fixture;
  await connect({ token: 'good' });
  const [hook] = forge.hooks.values();
  const secret = (hook as { config: { secret: string } }).config.secret;
  const repository = { ...(await show()), hook_secret: secret, must_add_deploy_key: false };
  await send(repository, 'push', push(sha('a')));
  await fixture.restart();
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  await until('it is reported', () => forge.statuses().at(-1)?.state === 'success');
  const deploys = (await platform.call('GET', '/v1/deploys?name=app').then((response) => response.json())) as {
    deploys: unknown[];
  };
  expect(deploys.deploys).toHaveLength(1);
});

test('a forge that is down is asked again, and one that refuses is not', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, forge, clock, fetchWith } = fixture;
  const repository = await connect({ token: 'reader' });
  let fails = 2;
  fetchWith(async (request) => {
    if (fails-- > 0) throw createError('unavailable', 'forge.example.com answered 502. Try again.');
    const { archive } = {
      archive: await fixture.platform.builder.receive((await import('node:stream')).Readable.from(['x'])),
    };
    return { archive, settings: request.sha === sha('b') ? { memory: 'lots' } : {} };
  });
  forge.failWith = 502;
  await send(repository, 'push', push(sha('a')));
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  expect(forge.statuses().length).toBeGreaterThan(0);
  expect((await show()).runs[0]?.report_error).toContain('502');
  forge.failWith = undefined;
  await until('it is reported', async () => (await show()).runs[0]?.report_error === null);
  expect(forge.statuses().at(-1)?.state).toBe('success');

  forge.failWith = 403;
  await send(repository, 'push', push(sha('b')));
  await until('it fails', async () => (await show()).runs[0]?.status === 'failed');
  expect((await show()).runs[0]?.error).toMatch(/memory/);
  await clock.elapse(600_000);
  // One for each state that was seen.
  expect(forge.statuses().filter((status) => status.sha === sha('b')).length).toBeLessThanOrEqual(2);
});

// Fails when a repository mounts a volume where an upload may not.
test('a mount path that the runtime refuses ends the run', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, send, show, until, settings } = fixture;
  settings.set(sha('a'), { volumes: { '/proc': 'files' } });
  await send(await connect(), 'push', push(sha('a')));
  await until('it fails', async () => (await show()).runs[0]?.status === 'failed');
  expect((await show()).runs[0]).toMatchObject({ deploy_id: null, error: expect.stringContaining('/proc') });
});

test('disconnecting removes the webhook and the previews, and the deployment keeps serving', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, send, show, until, forge, platform } = fixture;
  await platform.deploy('app');
  const repository = await connect({ token: 'good', previews: true });
  const [hook] = forge.hooks.values();
  const secret = (hook as { config: { secret: string } }).config.secret;
  await send(repository, 'pull_request', pullRequest('opened', 1, sha('a')), secret);
  await until('it is deployed', async () => (await show()).runs[0]?.status === 'succeeded');
  expect((await call('DELETE', '/v1/repositories?deployment_name=app')).status).toBe(200);
  expect((await send(repository, 'push', push(sha('b')), secret)).status).toBe(404);
  await until('the preview is deleted', async () => (await call('GET', '/v1/deployment/app-pr-1')).status === 404);
  await until('the webhook is removed', () => forge.hooks.size === 0);
  const rows = () => platform.run.db.selectFrom('repositories').select('id').execute();
  await until('nothing is left', async () => (await rows()).length === 0);
  expect((await call('GET', '/v1/deployment/app')).body.status).toBe('ready');
});

// Fails when an account can read or change the repository of another, or reach the platform's own network.
test('accounts are kept apart, and private addresses are refused', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, forge } = fixture;
  await connect();
  const name = 'deployment_name=app';
  expect((await call('GET', `/v1/repositories?${name}`, undefined, 'bob')).status).toBe(403);
  expect((await call('DELETE', `/v1/repositories?${name}`, undefined, 'bob')).status).toBe(403);
  const input = { deployment_name: 'app', url: `${forge.origin}/me/app`, forge: 'gitea' };
  expect((await call('POST', '/v1/repositories', input, 'bob')).status).toBe(403);
  expect((await call('POST', '/v1/repositories', input, 'alice-read')).status).toBe(403);
  expect((await call('POST', '/v1/repositories', input)).status).toBe(409);

  await using closed = await createRepositoryFixture({ networks: [] });
  const plain = { ...input, url: `${closed.forge.origin}/me/app`, token: 'good' };
  expect((await closed.call('POST', '/v1/repositories', plain)).status).toBe(422);
  const inside = { ...plain, url: 'https://127.0.0.1:1/me/app' };
  expect((await closed.call('POST', '/v1/repositories', inside)).body.error ?? 'refused').toBeTruthy();
  expect(closed.forge.calls).toEqual([]);
  // Nothing is left of what was refused.
  expect(await closed.platform.run.db.selectFrom('repositories').select('id').execute()).toEqual([]);
});

test.each([
  ['url', { url: 'https://user:secret@github.com/me/app' }],
  ['url', { url: 'https://github.com/me' }],
  ['url', { url: 'https://github.com/me/app?x=/../..' }],
  ['url', { url: 'file:///etc/passwd' }],
  ['url', { url: 'ext::sh -c id' }],
  ['forge', { url: 'https://git.example.com/me/app', forge: null }],
  ['branch', { branch: '--upload-pack=id' }],
  ['branch', { branch: 'a..b' }],
  ['folder', { folder: '../up' }],
  ['folder', { folder: '/etc' }],
  ['folder', { folder: 'a/-x' }],
  ['token', { token: 'two\r\nlines' }],
])('a wrong %s is refused: %j', async (_field, options) => {
  await using fixture = await createRepositoryFixture();
  await expect(fixture.connect(options)).rejects.toThrow(/^(422|400) /);
  expect(fixture.forge.calls).toEqual([]);
});

test('a token that the forge refuses stores nothing, and secrets stay out of logs and views', async () => {
  await using fixture = await createRepositoryFixture();
  const { connect, call, platform } = fixture;
  await expect(connect({ token: 'wrong' })).rejects.toThrow(/^422 .*refused the token/);
  const { db } = platform.run;
  expect(await db.selectFrom('repositories').select('id').execute()).toEqual([]);
  await connect({ token: 'good' });
  await call('POST', '/v1/repositories/preview-env', { deployment_name: 'app', set: { KEY: 'hunter2' } });
  const audit = await db.selectFrom('audit_log').selectAll().execute();
  const [row] = await db.selectFrom('repositories').selectAll().execute();
  const texts = JSON.stringify([audit, row, await fixture.show()]);
  expect(texts).not.toMatch(/hunter2|"good"/);
  expect(audit.map(({ action }) => action)).toContain('repository.set_preview_environment');
});
