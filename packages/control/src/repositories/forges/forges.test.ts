import type { ForgeKind } from '@berth/contract';
import { expect, test } from 'vitest';
import { createWebhookAccess } from '../../outbound/webhook-access.ts';
import { startFakeForge } from '../testing/fake-forge.ts';
import type { ForgeEvent, ReadHeader } from './forge.ts';
import { hooksOf, locateRepository, openForgeApi } from './open-forge.ts';

const headers =
  (values: Readonly<Record<string, string>>): ReadHeader =>
  (name) =>
    values[name];

const HEAD = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
const BEFORE = '95790bf891e76fee5e1747ab589903a6a1f80f22';
const ZERO = '0'.repeat(40);

/** Source: docs.github.com, "Webhook events and payloads", shortened. */
const GITHUB_PUSH = {
  ref: 'refs/heads/main',
  before: BEFORE,
  after: HEAD,
  repository: { id: 186853002, full_name: 'Codertocat/Hello-World', private: false },
  pusher: { name: 'Codertocat', email: '21031067+Codertocat@users.noreply.github.com' },
  created: false,
  deleted: false,
  forced: false,
  base_ref: null,
  compare: 'https://github.com/Codertocat/Hello-World/compare/95790bf891e7...da1560886d4f',
  commits: [
    { id: HEAD, message: 'Fix the readme\n\nIt was wrong.', added: ['a.md'], removed: [], modified: ['README.md'] },
  ],
  head_commit: { id: HEAD, message: 'Fix the readme\n\nIt was wrong.' },
};

const GITHUB_PULL_REQUEST = {
  action: 'synchronize',
  number: 2,
  pull_request: {
    id: 279147437,
    state: 'open',
    title: 'Update the README',
    head: { label: 'Codertocat:changes', ref: 'changes', sha: HEAD, repo: { id: 186853002 } },
    base: { label: 'Codertocat:main', ref: 'main', sha: BEFORE, repo: { id: 186853002 } },
  },
};

/** Source: docs.gitlab.com, "Webhook events", shortened. */
const GITLAB_PUSH = {
  object_kind: 'push',
  before: BEFORE,
  after: HEAD,
  ref: 'refs/heads/main',
  checkout_sha: HEAD,
  project_id: 15,
  commits: [
    { id: BEFORE, message: 'Update Catalan translation', added: ['CHANGELOG'], modified: ['app/x.rb'], removed: [] },
    { id: HEAD, message: 'fixed readme\n', added: [], modified: ['README'], removed: ['old'] },
  ],
  total_commits_count: 2,
};

const GITLAB_MERGE_REQUEST = {
  object_kind: 'merge_request',
  event_type: 'merge_request',
  object_attributes: {
    ...{ id: 99, iid: 1, title: 'MS-Viewport', state: 'opened', action: 'open' },
    ...{ target_branch: 'main', source_branch: 'ms-viewport', source_project_id: 14, target_project_id: 14 },
    last_commit: { id: HEAD, message: 'fixed readme', author: { name: 'GitLab dev user' } },
  },
};

const read = (forge: ForgeKind, event: string, body: unknown) => {
  const name = {
    github: 'x-github-event',
    gitlab: 'x-gitlab-event',
    gitea: 'x-gitea-event',
    forgejo: 'x-forgejo-event',
  };
  return hooksOf(forge).readEvent(headers({ [name[forge]]: event }), body);
};

test.each(['github', 'gitea', 'forgejo'] as const)('the events of %s', (forge) => {
  const push = { kind: 'push', branch: 'main', sha: HEAD, title: 'Fix the readme' };
  expect(read(forge, 'push', GITHUB_PUSH)).toEqual({ ...push, files: ['a.md', 'README.md'] });
  // These may have changed more than the request names.
  for (const more of [{ forced: true }, { before: ZERO }, { total_commits: 2 }, { commits: [] }]) {
    expect(read(forge, 'push', { ...GITHUB_PUSH, ...more })).toEqual({ ...push, files: undefined });
  }
  const open = { kind: 'open', number: 2, sha: HEAD, title: 'Update the README', base: 'main', isFork: false };
  const request = GITHUB_PULL_REQUEST;
  expect(read(forge, 'pull_request', request)).toEqual(open);
  for (const repo of [null, { id: 5 }]) {
    const head = { ...request.pull_request.head, repo };
    const fork = { ...request, pull_request: { ...request.pull_request, head } };
    expect(read(forge, 'pull_request', fork)).toEqual({ ...open, isFork: true });
  }
  expect(read(forge, 'pull_request', { ...request, action: 'closed' })).toEqual({ kind: 'close', number: 2 });
  const ignored = [
    ['push', { ...GITHUB_PUSH, after: ZERO }],
    ['push', { ...GITHUB_PUSH, ref: 'refs/tags/v1' }],
    ['push', { ...GITHUB_PUSH, after: '--upload-pack=id' }],
    ['pull_request', { ...request, action: 'labeled' }],
    ['ping', {}],
    ['push', []],
    ['push', null],
  ] as const;
  for (const [event, body] of ignored) expect(read(forge, event, body)).toBeUndefined();
});

test('the events of gitlab', () => {
  const push = { kind: 'push', branch: 'main', sha: HEAD, title: 'fixed readme' };
  const files = ['CHANGELOG', 'app/x.rb', 'README', 'old'];
  expect(new Set((read('gitlab', 'Push Hook', GITLAB_PUSH) as Extract<ForgeEvent, { kind: 'push' }>).files)).toEqual(
    new Set(files),
  );
  for (const more of [{ total_commits_count: 4 }, { before: ZERO }, { commits: [], total_commits_count: 0 }]) {
    expect(read('gitlab', 'Push Hook', { ...GITLAB_PUSH, ...more })).toMatchObject({ kind: 'push', files: undefined });
  }
  expect(read('gitlab', 'Push Hook', GITLAB_PUSH)).toMatchObject(push);
  const with_ = (more: object) => ({
    ...GITLAB_MERGE_REQUEST,
    object_attributes: { ...GITLAB_MERGE_REQUEST.object_attributes, ...more },
  });
  const event = (more: object) => read('gitlab', 'Merge Request Hook', with_(more));
  const open = { kind: 'open', number: 1, sha: HEAD, title: 'MS-Viewport', base: 'main', isFork: false };
  expect(event({})).toEqual(open);
  expect(event({ action: 'update', oldrev: BEFORE })).toEqual(open);
  expect(event({ action: 'update' })).toBeUndefined();
  expect(event({ source_project_id: 15 })).toEqual({ ...open, isFork: true });
  for (const action of ['close', 'merge']) expect(event({ action })).toEqual({ kind: 'close', number: 1 });
  expect(read('gitlab', 'Tag Push Hook', GITLAB_PUSH)).toBeUndefined();
});

test('signatures', () => {
  // Source: docs.github.com, "Validating webhook deliveries".
  const body = Buffer.from('Hello, World!');
  const secret = "It's a Secret to Everybody";
  const hex = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const isSigned = (forge: ForgeKind, values: Record<string, string>, content = body) =>
    hooksOf(forge).isSigned(headers(values), content, secret);
  expect(isSigned('github', { 'x-hub-signature-256': `sha256=${hex}` })).toBe(true);
  expect(isSigned('gitea', { 'x-gitea-signature': hex })).toBe(true);
  expect(isSigned('forgejo', { 'x-forgejo-signature': hex })).toBe(true);
  expect(isSigned('gitlab', { 'x-gitlab-token': secret })).toBe(true);
  for (const forge of ['github', 'gitea', 'forgejo', 'gitlab'] as const) expect(isSigned(forge, {})).toBe(false);
  expect(isSigned('github', { 'x-hub-signature-256': `sha256=${hex}` }, Buffer.from('Hello, World?'))).toBe(false);
  expect(isSigned('github', { 'x-hub-signature-256': `sha256=${hex.replace('7', '8')}` })).toBe(false);
  expect(isSigned('github', { 'x-hub-signature': `sha1=${hex}` })).toBe(false);
  expect(isSigned('gitlab', { 'x-gitlab-token': '' })).toBe(false);
});

test.each([
  ['https://github.com/me/app', undefined, 'github', 'https://api.github.com', 'https://github.com/me/app.git'],
  [
    'https://ghe.example/me/app.git',
    'github',
    'github',
    'https://ghe.example/api/v3',
    'https://ghe.example/me/app.git',
  ],
  ['https://gitlab.com/a/b/c', undefined, 'gitlab', 'https://gitlab.com/api/v4', 'https://gitlab.com/a/b/c.git'],
  [
    'https://x.example/git/me/app/',
    'gitea',
    'gitea',
    'https://x.example/git/api/v1',
    'https://x.example/git/me/app.git',
  ],
  [
    'https://codeberg.org/me/app',
    undefined,
    'forgejo',
    'https://codeberg.org/api/v1',
    'https://codeberg.org/me/app.git',
  ],
] as const)('the API of %s', (url, named, forge, apiUrl, cloneUrl) => {
  const path = url.includes('/a/b/c') ? 'a/b/c' : 'me/app';
  expect(locateRepository(url, named)).toEqual({ forge, apiUrl, path, url: cloneUrl });
});

test.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)(
  'the API of %s for webhooks, statuses and comments',
  async (forge) => {
    await using server = await startFakeForge();
    const access = createWebhookAccess(['127.0.0.1/32']);
    const open = (token: string) => openForgeApi(locateRepository(`${server.origin}/me/app`, forge), token, access);
    const api = open('good');
    await api.check();
    const url = 'https://berth.example/v1/hooks/git/rep_1';
    await api.createHook({ url, secret: 'secret', withPullRequests: true });
    await api.createHook({ url: `${url}0`, secret: 'other', withPullRequests: false });
    const [hook, other] = [...server.hooks.values()];
    if (forge === 'gitlab') {
      expect([hook, other]).toMatchObject([
        { url, token: 'secret', push_events: true, merge_requests_events: true },
        { merge_requests_events: false },
      ]);
    } else {
      expect(hook).toMatchObject({ active: true, config: { url, secret: 'secret', content_type: 'json' } });
      expect([hook?.['events'], other?.['events']]).toEqual([expect.arrayContaining(['pull_request']), ['push']]);
    }
    await api.removeHooks(url);
    expect(server.hooks.size).toBe(1);

    const status = { sha: HEAD, context: 'berth/app', description: 'Deployed', link: 'https://berth.example/' };
    await api.setStatus({ ...status, state: 'success' });
    await api.setStatus({ ...status, state: 'failure' });
    expect(server.statuses().map(({ state }) => state)).toEqual(['success', forge === 'gitlab' ? 'failed' : 'failure']);
    server.files = ['a.md', 'b/c.md'];
    expect(new Set(await api.listFiles(1))).toEqual(new Set(server.files));
    server.files = Array.from({ length: 100 }, (_one, index) => `${index}.md`);
    expect(await api.listFiles(1)).toBeUndefined();
    expect(await api.findComment(1, 'marker')).toBeUndefined();
    const id = await api.createComment(1, 'the marker, first');
    expect(await api.findComment(1, 'marker')).toBe(id);
    await api.updateComment(1, id, 'second');
    expect([...server.comments.values()]).toEqual(['second']);

    await expect(open('wrong').check()).rejects.toThrow(/refused the token/);
    await expect(open('reader').createHook({ url, secret: 's', withPullRequests: false })).rejects.toThrow(
      /permission/,
    );
    const blocked = openForgeApi(locateRepository(`${server.origin}/me/app`, forge), 'good', createWebhookAccess([]));
    const before = server.calls.length;
    await expect(blocked.check()).rejects.toThrow();
    // A status that GitLab has already is no failure.
    expect(server.calls.length).toBe(before);
    server.failWith = 400;
    const again = api.setStatus({ ...status, state: 'success' });
    await (forge === 'gitlab' ? again : expect(again).rejects.toThrow(/400/));
  },
);
