import { DEPLOY_ERROR_CODES, type DeploySummary } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { setupView } from '../../../render-view.test-support.ts';
import { DeployBadge } from './deploy-badge.tsx';
import { Failure } from './failure.tsx';
import { StageList } from './stage-list.tsx';
import { useDeployWords } from './use-deploy-words.ts';

const BEGAN = '2026-01-31T12:00:00.000Z';
const BEGAN_MS = Date.parse(BEGAN);
const deployOf = (changes: object) =>
  ({ created_at: BEGAN, ended_at: null, is_cancel_requested: false, status: 'done', ...changes }) as DeploySummary;

describe('who began a deploy', () => {
  const { began } = setupView().call(useDeployWords);
  const said = (actor: object | null) => began(deployOf({ actor }), BEGAN_MS + 120_000);

  // Fails when a kind of actor is told as another, or a name that is unknown is shown as null.
  test.each([
    [{ kind: 'system', name: null }, 'Berth'],
    [{ kind: 'session', name: 'Ada' }, 'Ada'],
    [{ kind: 'key', name: 'ci' }, 'key ci'],
    [{ kind: 'key', name: 'ci', is_deleted: true }, 'ci (deleted key)'],
  ])('is said of %j', (actor, name) => {
    expect(said(actor)).toContain(name);
    expect(said(actor)).toContain('2 minutes ago');
  });

  test.each([[{ kind: 'session', name: null }], [{ kind: 'key', name: null }], [null]])(
    'is said of %j without a name',
    (actor) => {
      expect(said(actor)).toContain('2 minutes ago');
      expect(said(actor)).not.toMatch(/null|undefined|\{/);
    },
  );

  // Fails when the server's clock, which is ahead, makes a deploy begin in the future.
  test('is never in the future', () => {
    expect(began(deployOf({ actor: null }), BEGAN_MS - 90_000)).toMatch(/now|0 seconds ago/i);
  });
});

describe('how long a deploy took', () => {
  const { took } = setupView().call(useDeployWords);
  const after = (seconds: number) => new Date(BEGAN_MS + seconds * 1_000).toISOString();

  // Fails when the bounds between tenths, seconds and minutes move.
  test.each([
    [3.24, '3.2 s'],
    [9.96, '10 s'],
    [42.4, '42 s'],
    [99, '99 s'],
    [150, '3 min'],
    [-5, '0 s'],
  ])('%s seconds are %j', (seconds, words) => {
    expect(took(deployOf({ ended_at: after(seconds) }), BEGAN_MS)).toBe(words);
  });

  // Fails when an active deploy is measured to its unknown end.
  test('is the time until now while it is active', () => {
    expect(took(deployOf({}), BEGAN_MS + 5_900)).toBe('6 s');
  });
});

// Fails when a cancellation that was asked for isn't shown, or is shown after the end.
test.each([
  [{ status: 'building', is_cancel_requested: true }, 'deploys.canceling'],
  [{ status: 'building' }, 'deploys.status.building'],
  [{ status: 'cancelled', is_cancel_requested: true, ended_at: BEGAN }, 'deploys.status.cancelled'],
])('the badge of %j is %s', async (changes, key) => {
  const { en } = await import('../../../text/en/index.ts');
  expect(setupView().render(createElement(DeployBadge, { deploy: deployOf(changes) }))).toContain(
    en[key as keyof typeof en] as string,
  );
});

// Fails when a code of the contract has no advice: the page would show the name of a text.
test.each(['en', 'ar'] as const)('every failure has advice in %s', (language) => {
  const { render } = setupView({ language });
  const advice = [...DEPLOY_ERROR_CODES, undefined].map((code) => {
    const html = render(createElement(Failure, { failure: { code, message: 'It ended.' } }));
    expect(html).toContain('It ended.');
    return /<p class="text-ink-soft">([^<]*)<\/p>/.exec(html)?.[1] ?? '';
  });
  expect(advice.every((text) => text.length > 10 && !text.startsWith('deploy.'))).toBe(true);
  expect(advice.at(-1)).toBe(advice[DEPLOY_ERROR_CODES.indexOf('internal')]);
});

// Fails when a stage that ended shows a spinner, or one that failed a check mark.
test('a stage shows how it goes', () => {
  const stage = { status: 'BUILDING', beganAtMs: 0, endedAtMs: 2_500, hasFailed: false, message: 'npm ci' } as const;
  const html = (changes: object) =>
    setupView().render(createElement(StageList, { stages: [{ ...stage, ...changes }] as never }));
  expect(html({})).toMatch(/lucide-check/);
  expect(html({})).toContain('2.5 s');
  expect(html({ hasFailed: true })).toMatch(/text-bad/);
  expect(html({ endedAtMs: undefined, beganAtMs: Date.now() })).toMatch(/animate-spin/);
});
