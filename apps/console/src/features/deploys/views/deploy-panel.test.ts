// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { createDeploySummary } from '../../../testing/create-deployment.ts';
import { createFakeRun } from '../../../testing/create-fake-run.ts';
import { openView } from '../../../testing/open-view.ts';
import type { DeployState } from '../state/create-deploy-run.ts';
import { useDeployState } from '../state/deploy-run-context.ts';
import { ActiveDeploys } from './active-deploys.tsx';
import { DeployPanel } from './deploy-panel.tsx';

/** The panel of the tab's deploy, as the host shows it. */
function Panel() {
  const state = useDeployState();
  return state ? createElement(DeployPanel, { state }) : null;
}

async function open(state: Partial<DeployState>) {
  const begun = createFakeRun(state);
  return { ...(await openView(createElement(Panel), { deployRun: begun.run })), ...begun };
}

const MIB = 2 ** 20;

describe('the panel of a deploy', () => {
  // Fails when a phase offers what can't be done in it: closing a deploy that goes on, canceling one that has ended.
  test.each<[Partial<DeployState>, string, readonly string[]]>([
    [{ phase: 'sending' }, 'Uploading', ['Cancel upload']],
    [{ phase: 'running' }, 'In progress', ['Cancel deploy']],
    [{ phase: 'failed', failure: { code: 'build_failed', message: 'npm ci ended with 1.' } }, 'Failed', ['Close']],
    [{ phase: 'lost', error: createError('unavailable', 'Gone.') }, 'Connection lost', ['Close', 'Reconnect']],
  ])('with %j says “%s” and offers %j', async (state, words, offered) => {
    const { texts, controls } = await open(state);
    expect(texts('status')).toEqual([words]);
    expect(controls()).toEqual(['Minimize', ...offered]);
  });

  test('shows how much is sent, until the first stage', async () => {
    const { text, change, until } = await open({ sent: { sentBytes: MIB, totalBytes: 4 * MIB } });
    const bar = document.querySelector('progress');
    expect([bar?.getAttribute('value'), bar?.getAttribute('max')]).toEqual([String(MIB), String(4 * MIB)]);
    expect(text()).toContain('1 MiB of 4 MiB uploaded');
    const stage = { status: 'BUILDING', message: 'npm ci', beganAtMs: 0, endedAtMs: 1_500, hasFailed: false } as const;
    await change({ phase: 'running', stages: [stage] });
    await until(() => expect(text()).toContain('npm ci'));
    expect(text()).toContain('1.5 s');
    expect(text()).not.toContain('4 MiB uploaded');
  });

  // Fails when a cancellation that the server refuses looks like one that worked.
  test('says why it can’t be cancelled, and can be asked again', async () => {
    const { clickOn, until, texts, control, done, onCancel } = await open({ phase: 'running' });
    onCancel(() => Promise.reject(createError('conflict', 'It is serving already.')));
    await clickOn('Cancel deploy');
    await until(() => expect(texts('alert')).toEqual(['It is serving already.']));
    expect([done, control('Cancel deploy').disabled]).toEqual([['cancel'], false]);
  });

  // Fails when a second press cancels again.
  test('is cancelled once', async () => {
    const { clickOn, control, done, onCancel } = await open({ phase: 'running' });
    onCancel(() => new Promise(() => {}));
    await clickOn('Cancel deploy');
    expect(control('Cancel deploy').disabled).toBe(true);
    await clickOn('Cancel deploy');
    expect(done).toEqual(['cancel']);
  });

  // Fails when the reason or the advice is left out, or the advice is that of another error.
  test.each([
    ['build_failed', /Run the same commands in a fresh copy/],
    ['port_not_open', /listen on 0\.0\.0\.0 and the port in \$PORT/],
    ['start_timeout', /listen on 0\.0\.0\.0 and the port in \$PORT/],
    ['cancelled', /The previous revision keeps serving/],
    [undefined, /an error in Berth/],
  ] as const)('that failed with %s gives the reason and advice', async (code, advice) => {
    const { text, texts } = await open({ phase: 'failed', failure: { code, message: 'It ended with 1.' } as never });
    expect(texts('alert')).toEqual(['It ended with 1.']);
    expect(text()).toMatch(advice);
  });

  test('of a lost deploy resumes it and says that it reconnects', async () => {
    const { clickOn, texts, done, change, until, text } = await open({ phase: 'lost', error: new Error('Offline.') });
    expect(texts('alert')).toEqual(['Offline.']);
    await clickOn('Reconnect');
    expect(done).toEqual(['resume']);
    await change({ phase: 'running', isReconnecting: true });
    await until(() => expect(text()).toContain('Connection lost. Reconnecting…'));
    expect(texts('alert')).toEqual([]);
  });

  // Fails when the log of a long build fills the page, or its last lines are the ones left out.
  test('has the last lines of the log and says how many came before', async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}`);
    const { texts, text } = await open({ phase: 'running', lines: [...lines, 'later'], lineCount: lines.length });
    const [log = ''] = texts('log');
    expect(log.split('\n').at(-1)).toBe('line 5000');
    const shown = log.split('\n').length;
    expect(shown).toBeLessThan(5_000);
    expect(text()).toContain(`${(5_000 - shown).toLocaleString('en')} earlier lines are not shown.`);
  });

  // Fails when the colors of a terminal stand in the log as letters.
  test('shows the log without the colors of a terminal', async () => {
    const lines = ['\u001b[1;31mred\u001b[0m and \u001b[2Kplain', 'tab\there', 'دات'];
    const { texts } = await open({ phase: 'running', lines, lineCount: lines.length });
    expect(texts('log')).toEqual(['red and plain\ntab\there\nدات']);
  });

  // Fails when a panel stays open after the deploy is ready and covers the page, or closes while it shows a failure.
  test('is one line once it is ready, is expanded and minimized, and closed', async () => {
    const url = 'https://shop.berth.test';
    const { clickOn, controls, control, done, change, until, texts } = await open({ phase: 'running' });
    expect(controls()).toEqual(['Minimize', 'Cancel deploy']);
    await change({ phase: 'done', url });
    await until(() => expect(controls()).toEqual(['Open', 'Expand', 'Close']));
    expect(texts('status')).toEqual(['Ready']);
    expect(control('Expand').getAttribute('aria-expanded')).toBe('false');
    await clickOn('Expand');
    expect(controls()).toEqual(['Minimize', 'Close', url, 'Open']);
    await clickOn('Minimize');
    expect(controls()).toEqual(['Open', 'Expand', 'Close']);
    await change({ phase: 'sending', url: undefined });
    await until(() => expect(controls()).toEqual(['Minimize', 'Cancel upload']));
    await change({ phase: 'done', url });
    await until(() => expect(controls()).toContain('Close'));
    await clickOn('Close');
    expect(done).toEqual(['dismiss']);
  });
});

describe('the active deploys', () => {
  const CANCEL = 'POST /v1/deploys/{deploy_id}/cancel';
  const active = createDeploySummary({ deploy_id: 'dpl_1', status: 'building', ended_at: null, message: 'npm ci' });
  const other = { ...active, deploy_id: 'dpl_2', deployment: 'blog' };

  async function openList(props: Parameters<typeof ActiveDeploys>[0], scopes = ['read', 'deploy'], shownId?: string) {
    const begun = createFakeRun(shownId === undefined ? undefined : { deployId: shownId, phase: 'running' });
    const cancelled: unknown[] = [];
    let refusal: Error | undefined;
    const page = await openView(createElement(ActiveDeploys, props), {
      isPart: true,
      deployRun: begun.run,
      cached: [[QUERY_KEYS.user, { role: 'member', scopes, account: { id: 'acc_1', name: 'Acme' } }]],
      answers: {
        [CANCEL]: ({ path }) => {
          if (refusal) throw refusal;
          cancelled.push(path['deploy_id']);
          return {};
        },
      },
    });
    const refuse = (error: Error) => {
      refusal = error;
    };
    return { ...page, ...begun, cancelled, refuse };
  }

  // Fails when the deploy that the panel shows can be followed a second time.
  test('can be followed, except the one that the panel shows', async () => {
    const { controls, clickOn, done } = await openList({ deploys: [active, other] }, undefined, 'dpl_1');
    expect(controls()).not.toContain('Follow the deploy of shop');
    await clickOn('Follow the deploy of blog');
    expect(done).toEqual([['follow', 'blog', 'dpl_2']]);
  });

  // Fails when a deploy is cancelled without a question, or another one is.
  test('are cancelled after a question', async () => {
    const { clickOn, until, dialog, cancelled } = await openList({ deploys: [active, other] });
    await clickOn('Cancel the deploy of blog');
    await until(() => expect(dialog()).toContain('Cancel the deploy of blog?'));
    expect(cancelled).toEqual([]);
    await clickOn('Cancel deploy');
    await until(() => expect(cancelled).toEqual(['dpl_2']));
    await until(() => expect(dialog()).toBeUndefined());
  });

  test('that can’t be cancelled say why', async () => {
    const { clickOn, until, texts, dialog, refuse } = await openList({ deploys: [active] });
    refuse(createError('conflict', 'It has ended.'));
    await clickOn('Cancel the deploy of shop');
    await clickOn('Cancel deploy');
    await until(() => expect(texts('alert')).toEqual(['It has ended.']));
    expect(dialog()).toBeDefined();
  });

  // Fails when a deploy that is being cancelled can be cancelled again, or people without the right may.
  test.each([
    [{ ...active, is_cancel_requested: true }, ['read', 'deploy'], 'Canceling…'],
    [active, ['read'], 'Building'],
  ])('can’t be cancelled twice, nor without the right', async (deploy, scopes, words) => {
    const { controls, text } = await openList({ deploys: [deploy] }, scopes);
    expect(controls()).not.toContain('Cancel the deploy of shop');
    expect(text()).toContain(words);
  });

  test('of one deployment don’t repeat its name', async () => {
    const { controls, copyCommands } = await openList({ deploys: [active], name: 'shop' });
    expect(controls()).not.toContain('shop');
    expect((await copyCommands())[0]).toBe('npx berth deploys shop --active');
  });

  test('leave no frame behind', async () => {
    expect((await openList({ deploys: [] })).text()).toBe('Page');
  });
});
