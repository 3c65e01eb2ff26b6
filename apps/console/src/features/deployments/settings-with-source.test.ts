// @vitest-environment happy-dom
import { createError, type DeploymentDetail } from '@berth/contract';
import { act, createElement } from 'react';
import { expect, test } from 'vitest';
import { createDeployment } from '../../testing/create-deployment.ts';
import { createFakeRun } from '../../testing/create-fake-run.ts';
import { openView } from '../../testing/open-view.ts';
import { draftOf, type SettingsDraft } from '../settings/settings-draft.ts';
import { SettingsWithSource } from './settings-with-source.tsx';

const DEPLOY = 'Deploy with these settings';
const volumes = { '/data': { name: 'media', read_only: false, sub_path: '' } };

interface Setup {
  readonly deployment?: Partial<DeploymentDetail>;
  readonly draft?: Partial<SettingsDraft>;
  readonly problems?: Readonly<Record<string, string>>;
  readonly answers?: Readonly<Record<string, () => unknown>>;
}

async function open({ deployment: changes = {}, draft = {}, problems = {}, answers = {} }: Setup = {}) {
  const begun = createFakeRun();
  const deployment = createDeployment(changes);
  const props = { deployment, draft: { ...draftOf(deployment), ...draft }, problems, isOpen: true };
  const page = await openView(createElement(SettingsWithSource, props), {
    isPart: true,
    deployRun: begun.run,
    answers,
    methods: { deploy: ({ fields, archive }: { fields: object; archive?: Blob }) => ({ ...fields, archive }) },
  });
  /** Picks files in the browser's file dialog; the second button is that of archives. */
  const pick = async (at: number, ...files: File[]) => {
    const input = document.querySelectorAll<HTMLInputElement>('input[type="file"]')[at] as HTMLInputElement;
    Object.assign(input, { files });
    await act(async () => input.dispatchEvent(new MouseEvent('change', { bubbles: true })));
    await page.settle();
  };
  return { ...page, ...begun, pick };
}

/** A file of the browser's file dialog; `path` is its place in the chosen folder. */
const fileOf = (name: string, text = '', path = '') =>
  Object.defineProperty(new File([text], name), 'webkitRelativePath', { value: path });
const archive = () => fileOf('shop.tar.gz', 'archive');
/** The files of a folder whose berth.json requires a variable. */
const folder = () => [
  fileOf('berth.json', '{"required_env":["API_KEY"]}', 'shop/berth.json'),
  fileOf('main.js', '//', 'shop/main.js'),
];

// Fails when a deploy can begin without anything to deploy.
test('a source comes first', async () => {
  const { control, done, clickOn } = await open();
  expect(control(DEPLOY).disabled).toBe(true);
  await clickOn(DEPLOY);
  expect(done).toEqual([]);
});

// Fails when the settings of the form above are left out, or the archive is.
test('an archive is deployed with the settings of the form', async () => {
  const { pick, clickOn, done, until, control } = await open({ draft: { memory: '1Gi' } });
  const file = archive();
  await pick(1, file);
  await until(() => expect(control(DEPLOY).disabled).toBe(false));
  await clickOn(DEPLOY);
  expect(done).toEqual([
    ['begin', 'shop', expect.objectContaining({ function_name: 'shop', memory: '1Gi', archive: file })],
  ]);
});

// Fails when the path isn't quoted, or an archive is sent as well.
test('an archive in a volume is named instead', async () => {
  const { type, clickOn, done, copyCommands } = await open();
  await type('Archive in a volume', 'my data/source.tar.gz');
  expect((await copyCommands())[0]).toBe("npx berth deploy --source-object 'my data/source.tar.gz' --name shop");
  await clickOn(DEPLOY);
  expect(done).toEqual([
    ['begin', 'shop', expect.objectContaining({ source_object: 'my data/source.tar.gz', archive: undefined })],
  ]);
});

// Fails when both sources can be given: one of them would be ignored.
test('one source excludes the other', async () => {
  const { type, pick, fields, until, clickOn } = await open();
  await type('Archive in a volume', 'media/a.tar.gz');
  expect(document.querySelectorAll('input[type="file"]')).toHaveLength(0);
  await type('Archive in a volume', '');
  await pick(1, archive());
  await until(() => expect(fields()).not.toContain('Archive in a volume'));
  await clickOn('Change');
  await until(() => expect(fields()).toContain('Archive in a volume'));
});

// Fails when the problem of the server is shown nowhere.
test('a path that the server refuses is marked', async () => {
  const { field, texts } = await open({ problems: { source_object: 'There is no such file.' } });
  expect(field('Archive in a volume').getAttribute('aria-invalid')).toBe('true');
  expect(texts('alert')).toEqual(['There is no such file.']);
});

// Fails when files that aren't a source leave the form without a word.
test('what is no source says why, and another may be chosen', async () => {
  const { pick, until, texts, control } = await open();
  await pick(1, fileOf('shop.zip'));
  await until(() => expect(texts('alert')).toHaveLength(1));
  expect(control(DEPLOY).disabled).toBe(true);
  await pick(1, archive());
  await until(() => expect(control(DEPLOY).disabled).toBe(false));
  expect(texts('alert')).toEqual([]);
});

// Fails when a folder is deployed before the variables that its berth.json requires are set.
test('a folder waits for the variables that it requires', async () => {
  let isSet = false;
  const { pick, type, clickOn, until, control, field, sent } = await open({
    answers: {
      'GET /v1/env/list': () => (isSet ? [{ key: 'API_KEY', updated_at: '2026-01-01T00:00:00Z' }] : []),
      'POST /v1/env/set': () => {
        isSet = true;
        return { status: 'stored' };
      },
    },
  });
  await pick(0, ...folder());
  await until(() => expect(field('API_KEY').value).toBe(''));
  expect(control(DEPLOY).disabled).toBe(true);
  await type('API_KEY', 's3cret');
  await clickOn('Save variables');
  await until(() => expect(control(DEPLOY).disabled).toBe(false));
  expect(sent('POST /v1/env/set')).toEqual([{ deployment_name: 'shop', set: { API_KEY: 's3cret' }, unset: [] }]);
});

// Fails when variables that can't be read count as set.
test('variables that can’t be read hold the deploy up, and are asked for again', async () => {
  let asked = 0;
  const { pick, clickOn, until, texts, control } = await open({
    answers: {
      'GET /v1/env/list': () => {
        if (++asked === 1) throw createError('unavailable', 'The database is busy.');
        return [{ key: 'API_KEY', updated_at: '2026-01-01T00:00:00Z' }];
      },
    },
  });
  await pick(0, ...folder());
  await until(() => expect(texts('alert')).toEqual(['The database is busy.Try again']));
  expect(control(DEPLOY).disabled).toBe(true);
  await clickOn('Try again');
  await until(() => expect(control(DEPLOY).disabled).toBe(false));
});

// Fails when a deploy with a source detaches a volume without a question.
test('a volume that the settings leave out is asked about', async () => {
  const { type, clickOn, done, until, dialog } = await open({ deployment: { volumes }, draft: { mounts: [] } });
  await type('Archive in a volume', 'media/a.tar.gz');
  await clickOn(DEPLOY);
  await until(() => expect(dialog()).toContain('media at /data'));
  expect(done).toEqual([]);
  await clickOn('Detach and deploy');
  expect(done).toHaveLength(1);
});
