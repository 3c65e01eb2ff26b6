// @vitest-environment happy-dom
import { createError, type Deployment } from '@berth/contract';
import { act, createElement, use } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { createDeployment } from '../../../testing/create-deployment.ts';
import { createFakeRun } from '../../../testing/create-fake-run.ts';
import { openView } from '../../../testing/open-view.ts';
import { DeployContext } from './deploy-context.ts';
import { DeployHost } from './deploy-host.tsx';

const CHECK = 'GET /v1/deployment/check-name';
const volumes = { '/data': { name: 'media', read_only: false, sub_path: '' } };

/** A page with buttons for a new deploy and for one of `target`, and a place with drops of its own. */
function Page({ target }: { readonly target: Deployment }) {
  const choose = use(DeployContext);
  return [
    createElement('button', { key: 'new', type: 'button', onClick: () => choose() }, 'New'),
    createElement('button', { key: 'again', type: 'button', onClick: () => choose(target) }, 'Again'),
    createElement('div', { key: 'own', id: 'own', 'data-own-drop': '' }),
  ];
}

interface Setup {
  readonly check?: (name: unknown) => unknown;
  /** The account's own deployments by name. */
  readonly own?: Readonly<Record<string, Deployment>>;
  readonly target?: Partial<Deployment>;
  /** Answer to setting variables. */
  readonly set?: () => unknown;
}

const SET = 'POST /v1/env/set';

async function open({ check = () => ({ available: true }), own = {}, target = {}, set = () => ({}) }: Setup = {}) {
  const begun = createFakeRun();
  const page = await openView(
    createElement(DeployHost, null, createElement(Page, { target: createDeployment(target) })),
    {
      deployRun: begun.run,
      answers: {
        [CHECK]: ({ query }) => ({ exists: String(query['name']) in own, ...(check(query['name']) as object) }),
        'GET /v1/env/list': () => [],
        [SET]: () => set(),
      },
      methods: {
        deploy: ({ fields, archive }: { fields: object; archive: Blob }) => ({ ...fields, archive }),
        findDeployment: async (name: string) => own[name],
      },
    },
  );
  const begins = () => begun.done.filter((one) => Array.isArray(one));
  return { ...page, ...begun, begins };
}

/** Drops files on the page, or on the element with an id. `later` opens them when it resolves. */
async function drop(names: readonly string[], { on, later }: { on?: string; later?: Promise<unknown> } = {}) {
  const items = names.map((name) => ({
    webkitGetAsEntry: () => ({
      ...{ isDirectory: false, name },
      file: async (done: (file: File) => void) => {
        await later;
        done(new File([name], name));
      },
    }),
  }));
  const dataTransfer = { types: ['Files'], items };
  const target = (on === undefined ? document.body : document.getElementById(on)) as HTMLElement;
  const event = Object.assign(new MouseEvent('drop', { bubbles: true, cancelable: true }), { dataTransfer });
  await act(async () => target.dispatchEvent(event));
  return event.defaultPrevented;
}

describe('a source that is dropped', () => {
  // Fails when the dialog doesn't open, the name isn't that of the archive, or the archive isn't what is sent.
  test('is deployed under its name when that is free', async () => {
    const { until, field, text, clickOn, begins, control } = await open();
    expect(await drop(['My Shop.tar.gz'])).toBe(true);
    await until(() => expect(field('Name').value).toBe('my-shop'));
    await until(() => expect(text()).toContain('Name available'));
    expect(control('Deploy').disabled).toBe(false);
    await clickOn('Deploy');
    const archive = expect.any(File);
    expect(begins()).toEqual([['begin', 'my-shop', expect.objectContaining({ function_name: 'my-shop', archive })]]);
  });

  // Fails when what can't be deployed is refused without a word, or can't be replaced.
  test('and is none says why, until another one is', async () => {
    const { until, texts, text } = await open();
    await drop(['shop.zip']);
    await until(() => expect(texts('alert')).toEqual([expect.stringContaining('isn’t a .tar.gz archive')]));
    await drop(['shop.tar.gz']);
    await until(() => expect(text()).toContain('shop.tar.gz'));
    expect(texts('alert')).toEqual([]);
  });

  // Fails when a drop that a part of the page handles, or a text, is taken for a source.
  test('where the page takes drops itself is left alone', async () => {
    const { settle, dialog } = await open();
    expect(await drop(['shop.tar.gz'], { on: 'own' })).toBe(false);
    const text = Object.assign(new MouseEvent('drop', { bubbles: true }), { dataTransfer: { types: ['text/plain'] } });
    await act(async () => document.body.dispatchEvent(text));
    await settle();
    expect(dialog()).toBeUndefined();
  });

  // Fails when a file that is slow to open replaces what was dropped after it: another source would be deployed.
  test('gives way to one that is dropped after it', async () => {
    const { until, field, settle } = await open();
    const slow = Promise.withResolvers<void>();
    await drop(['old.tar.gz'], { later: slow.promise });
    await drop(['new.tar.gz']);
    await until(() => expect(field('Name').value).toBe('new'));
    await act(async () => slow.resolve());
    await settle();
    expect(field('Name').value).toBe('new');
  });

  // Fails when a dialog that was closed comes back by itself.
  test('and is still being opened doesn’t come back after the dialog was closed', async () => {
    const { until, clickOn, press, dialog, settle } = await open();
    const slow = Promise.withResolvers<void>();
    await clickOn('New');
    await until(() => expect(dialog()).toContain('Deploy a folder'));
    await drop(['old.tar.gz'], { later: slow.promise });
    await press('Escape');
    await until(() => expect(dialog()).toBeUndefined());
    await act(async () => slow.resolve());
    await settle();
    expect(dialog()).toBeUndefined();
  });
});

describe('the dialog of a deploy', () => {
  // Fails when a name that belongs to somebody else, or is none, can be sent.
  test('refuses names that can’t be used', async () => {
    const { until, type, control, texts, begins, press } = await open({
      check: (name) => (name === 'taken' ? { available: false, reason: 'The name is taken.' } : { available: true }),
    });
    await drop(['shop.tar.gz']);
    await until(() => expect(control('Deploy').disabled).toBe(false));
    await type('Name', 'Not a name');
    expect([control('Deploy').disabled, texts('alert').length]).toEqual([true, 1]);
    await type('Name', 'taken');
    expect(control('Deploy').disabled).toBe(true);
    await until(() => expect(texts('alert')).toEqual(['The name is taken.']));
    await press('Enter');
    expect(begins()).toEqual([]);
  });

  // Fails when a first deploy starts without its variables, or before they are stored.
  test('stores the variables of a first deploy before it begins', async () => {
    let problem: Error | undefined = createError('invalid', 'The values are too long.');
    const { until, clickOn, type, control, begins, sent, texts } = await open({
      set: () => {
        if (problem) throw problem;
        return { status: 'stored' };
      },
    });
    await drop(['shop.tar.gz']);
    await until(() => expect(control('Deploy').disabled).toBe(false));
    await clickOn('Variables');
    await type('Name', 'API_KEY', 1);
    await type('Value', 's3cret');
    await clickOn('Deploy');
    await until(() => expect(texts('alert')).toEqual(['The values are too long.']));
    expect(begins()).toEqual([]);
    problem = undefined;
    await clickOn('Deploy');
    await until(() => expect(begins()).toHaveLength(1));
    expect(sent(SET).at(-1)).toEqual({ deployment_name: 'shop', set: { API_KEY: 's3cret' }, unset: [] });
  });

  // Fails when a folder whose name has no Latin letter leaves the name blank without a word.
  test('says why there is no name for a folder', async () => {
    const { until, field, text, type } = await open();
    await drop(['موقعي.tar.gz']);
    await until(() => expect(text()).toContain('“موقعي.tar.gz” has no letters a–z.'));
    expect(field('Name').value).toBe('');
    await type('Name', 'my-site');
    await until(() => expect(text()).toContain('Name available'));
  });

  // Fails when deploying an own name resets its settings, or detaches its volumes without a question.
  test('keeps the settings of an own deployment, and asks before it detaches a volume', async () => {
    const own = { shop: createDeployment({ memory: '2Gi', volumes }) };
    const { until, field, text, clickOn, begins, dialog } = await open({ own });
    await drop(['shop.tar.gz']);
    await until(() => expect(text()).toContain('You already have a deployment with this name'));
    expect(field('Memory').value).toBe('2Gi');
    await clickOn('Remove the volume at /data');
    await clickOn('Deploy');
    await until(() => expect(dialog()).toContain('media at /data'));
    expect(begins()).toEqual([]);
    await clickOn('Detach and deploy');
    expect(begins()).toEqual([['begin', 'shop', expect.objectContaining({ memory: '2Gi', volumes: {} })]]);
  });

  // Fails when a refusal loses the source, the name or the settings.
  test('comes back with everything when the server refuses', async () => {
    const { until, type, clickOn, field, change, dialog, texts, begins, control } = await open();
    await drop(['shop.tar.gz']);
    await until(() => expect(control('Deploy').disabled).toBe(false));
    await type('Memory', '1Mi');
    await clickOn('Deploy');
    await until(() => expect(dialog()).toBeUndefined());
    const issues = [{ loc: ['body', 'memory'], msg: 'must be at least 128Mi' }];
    await change({ phase: 'refused', error: createError('invalid', 'A setting is wrong.', { details: { issues } }) });
    await until(() => expect(texts('alert')).toEqual(['A setting is wrong.', 'must be at least 128Mi']));
    expect([field('Name').value, field('Memory').value]).toEqual(['shop', '1Mi']);
    await type('Memory', '1Gi');
    await clickOn('Deploy');
    expect(begins()).toHaveLength(2);
    await change({ phase: 'running', error: undefined });
    await until(() => expect(dialog()).toBeUndefined());
  });

  // Fails when the name of a deployment that gets a new source can be changed, or its settings are those of a new one.
  test('for a deployment has its name and its settings', async () => {
    const { until, clickOn, fields, field, dialog, begins, sent } = await open({ target: { memory: '2Gi' } });
    await clickOn('Again');
    await until(() => expect(dialog()).toContain('Deploy a new revision of shop'));
    await drop(['other.tar.gz']);
    await until(() => expect(field('Memory').value).toBe('2Gi'));
    expect(fields()).not.toContain('Name');
    await until(() => expect(sent(CHECK).length).toBeGreaterThan(0));
    await clickOn('Deploy');
    await until(() => expect(begins()).toEqual([['begin', 'shop', expect.objectContaining({ memory: '2Gi' })]]));
  });

  // Fails when a first deploy offers a share of no one's requests, or the share and the tag aren't sent.
  test.each<[string, { no_traffic?: boolean; canary?: string; tag?: string }]>([
    ['100', {}],
    ['0', { no_traffic: true, tag: 'beta' }],
    ['10', { canary: '10', tag: 'beta' }],
  ])('for a deployment with a share of %s sends it', async (share, sent) => {
    const { until, clickOn, type, fields, field, begins } = await open({ own: { shop: createDeployment() } });
    await drop(['other.tar.gz']);
    await until(() => expect(fields()).toContain('Memory'));
    expect(fields()).not.toContain('Tag');
    await type('Name', 'shop');
    await until(() => expect(field('Share of requests (%)').value).toBe('100'));
    await type('Share of requests (%)', share);
    await type('Tag', sent.tag ?? '');
    await clickOn('Deploy');
    const { no_traffic, canary, tag } = (begins()[0] as [string, string, Record<string, unknown>])[2];
    expect({ no_traffic, canary, tag }).toEqual(sent);
  });
});

describe('the deploy of the tab', () => {
  // Fails when a reload loses sight of a deploy.
  test('is resumed when the page is opened', async () => {
    expect((await open()).done).toEqual(['resume']);
  });

  // Fails when lists stay as they were before the deploy.
  test.each([
    ['done', true],
    ['failed', true],
    ['running', false],
  ] as const)('that is %s makes the deployments stale: %s', async (phase, isStale) => {
    const { change, queries, until, text } = await open();
    for (const key of [QUERY_KEYS.deployments, QUERY_KEYS.deployment('shop'), QUERY_KEYS.activeDeploys]) {
      queries.setQueryData(key, []);
    }
    await change({ phase });
    await until(() => expect(text()).toContain('Deploy of shop'));
    const stale = (key: readonly string[]) => queries.getQueryState(key)?.isInvalidated;
    expect([stale(QUERY_KEYS.deployments), stale(QUERY_KEYS.deployment('shop'))]).toEqual([isStale, isStale]);
    expect(stale(QUERY_KEYS.activeDeploys)).toBe(true);
  });

  // Fails when a refusal is shown by a panel and by the form at once.
  test('that was refused has no panel', async () => {
    const { change, settle, text } = await open();
    await change({ phase: 'refused', error: new Error('no') });
    await settle();
    expect(text()).not.toContain('Deploy of shop');
  });
});
