// @vitest-environment happy-dom
import { createError, type Repository } from '@berth/contract';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../testing/open-view.ts';
import { RepositoryCard } from './repository-card.tsx';

const READ = 'GET /v1/repositories';
const CONNECT = 'POST /v1/repositories';
const DISCONNECT = 'DELETE /v1/repositories';
const URL_OF_REPOSITORY = 'https://gitea.example.com/me/app';

const REPOSITORY: Repository = {
  ...{ id: 'rep_1', deployment_name: 'shop', forge: 'gitea', url: URL_OF_REPOSITORY, branch: 'main', folder: null },
  ...{ deploy_key: null, ssh_url: null },
  ...{ has_token: true, previews_enabled: true, preview_ttl_seconds: 604_800, preview_variables: [] },
  hook_url: 'https://berth.example.com/v1/hooks/git/rep_1',
  runs: [
    {
      ...{ id: 'rrn_1', commit: 'a'.repeat(40), title: 'Say hello', pull_request: 7, status: 'failed' as const },
      ...{ deploy_id: 'dpl_1', error: 'The deploy ended with build_failed.', report_error: null },
      time: '2026-01-01T00:00:00Z',
    },
  ],
  previews: [
    {
      ...{ pull_request: 7, deployment_name: 'shop-pr-7', url: 'https://shop-pr-7.example.com' },
      expires_at: '2026-01-08T00:00:00Z',
    },
  ],
  created_at: '2026-01-01T00:00:00Z',
};

const missing = () => {
  throw createError('not_found', '"shop" isn’t connected to a repository.');
};

const open = (answers: NonNullable<OpenSetup['answers']>, user: object = OWNER) =>
  openView(createElement(RepositoryCard, { deployment: { name: 'shop' } }), {
    isPart: true,
    cached: [[QUERY_KEYS.user, user]],
    answers,
  });

test('a repository is shown with its last commits and its previews', async () => {
  const view = await open({ [READ]: () => REPOSITORY, [DISCONNECT]: () => ({ detail: 'disconnected' }) });
  for (const text of ['aaaaaaa', '#7 Say hello', 'build_failed', URL_OF_REPOSITORY, 'shop-pr-7.example.com']) {
    expect(view.text()).toContain(text);
  }
  await view.click(view.get('button', say('repository.disconnect')));
  expect(view.text()).toContain(say('repository.disconnect.text'));
  await view.click(view.get('button', say('repository.disconnect')));
  expect(view.sent(DISCONNECT)).toEqual([{ deployment_name: 'shop' }]);
});

// Fails when empty fields are sent, or when a secret that Berth can't show again is lost.
test('connecting sends what was typed and shows the secret once', async () => {
  const view = await open({ [READ]: missing, [CONNECT]: () => ({ ...REPOSITORY, hook_secret: 'f'.repeat(64) }) });
  expect(view.text()).toContain(say('repository.none'));
  await view.click(view.get('button', say('repository.connect')));
  await view.fill(view.field(say('repository.url')), URL_OF_REPOSITORY);
  await view.fill(view.field(say('repository.token')), 'a token');
  await view.press('Enter');
  const body = { deployment_name: 'shop', url: URL_OF_REPOSITORY, branch: 'main', previews: false, token: 'a token' };
  expect(view.sent(CONNECT)).toEqual([body]);
  expect(view.text()).toContain('f'.repeat(64));
  expect(view.text()).toContain(REPOSITORY.hook_url);
});

test('readers see the repository and can’t change it', async () => {
  const reader = { role: 'member', scopes: ['read'], account: { id: 'acc_1', name: 'Acme' } };
  const view = await open({ [READ]: () => REPOSITORY }, reader);
  expect(view.text()).toContain(URL_OF_REPOSITORY);
  expect(view.text()).not.toContain(say('repository.disconnect'));
});

test('a deploy key is asked for, and shown so that it can be added to the forge', async () => {
  const key = 'ssh-ed25519 AAAA berth-shop';
  const view = await open({ [READ]: () => ({ ...REPOSITORY, deploy_key: key }) });
  expect(view.text()).toContain(key);
  const other = await open({ [READ]: missing, [CONNECT]: () => ({ ...REPOSITORY, hook_secret: null }) });
  await other.click(other.get('button', say('repository.connect')));
  await other.click(other.get('switch', say('repository.deployKey')));
  await other.fill(other.field(say('repository.url')), URL_OF_REPOSITORY);
  await other.press('Enter');
  expect(other.sent(CONNECT)).toMatchObject([{ deploy_key: true }]);
});
