import { text } from 'node:stream/consumers';
import type { Locator } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { en } from '../../apps/console/src/text/en/index.ts';
import { dropFiles as drop } from './harness/drop.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const TEXTS = { en, ar } as const;
/** From this size uploads go on where they broke off. */
const LARGE_BYTES = 17 * 2 ** 20;

async function post(path: string, body: unknown): Promise<void> {
  const { url, key } = inject('platform');
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

/** Reads the name in a table row: what a selection of it copies, and how its two shown parts follow each other. */
async function readName(row: Locator): Promise<{ copied: string | undefined; parts: string }> {
  return row.locator('bdi').evaluate((name) => {
    getSelection()?.selectAllChildren(name);
    const copied = getSelection()?.toString();
    getSelection()?.removeAllRanges();
    const [head, tail] = [...name.querySelectorAll('[aria-hidden] > span')].map((part) => part.getBoundingClientRect());
    const isApart = head && tail && (head.right <= tail.left + 1 || tail.right <= head.left + 1);
    return { copied, parts: !isApart ? 'none' : head.left < tail.left ? 'left to right' : 'right to left' };
  });
}

describe.each(SETTINGS)('volumes, $name', (setting) => {
  const texts = TEXTS[setting.language];
  const say = (key: keyof typeof en, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), texts[key] as string);
  const volume = `media-${setting.name.replace(' ', '-')}`;

  it('is made, filled by dropping, browsed, emptied, deleted and brought back', { timeout: 180_000 }, async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    await page.goto('/volumes');
    await page.getByRole('button', { name: say('volumes.create') }).click();
    await page.getByLabel(say('shell.name')).fill(volume);
    await visit.check('volumes-create');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: say('volumes.create') })
      .click();
    await page.getByRole('link', { name: volume }).click();
    await page.getByRole('heading', { name: say('files.empty.title') }).waitFor();
    await visit.check('volume-empty');

    const longName = `a name that is so long that no table shows it whole ${'x'.repeat(60)}.txt`;
    const arabicName = 'تقرير المد والجزر للساحل الشرقي كله في الشتاء.png';
    await drop(page, { 'notes.txt': 'hello', [longName]: 'long', [arabicName]: 'tides' });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('notes.txt').waitFor();
    await expect.poll(() => readName(row(arabicName))).toEqual({ copied: arabicName, parts: 'right to left' });
    await expect.poll(() => readName(row(longName))).toEqual({ copied: longName, parts: 'left to right' });
    await visit.check('volume-uploaded');

    // A folder, and what is opened by its link after a reload.
    await post('/v1/volume/create', { name: volume });
    await page.goto(`/volumes/${volume}?path=2026/photos/`);
    await page.getByRole('heading', { name: say('files.empty.title') }).waitFor();
    await drop(page, { 'a.jpg': 'a', 'b.jpg': 'b' });
    await row('a.jpg').waitFor();
    await page.getByRole('link', { name: '2026' }).click();
    await page.getByRole('link', { name: 'photos' }).waitFor();
    await visit.check('volume-folder');
    await page.getByRole('link', { name: say('files.root') }).click();
    await row('notes.txt').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(5);

    const act = async (name: string, action: keyof typeof en) => {
      await page.getByRole('button', { name: say('files.actions', { name }) }).click();
      await page.getByRole('menuitem', { name: say(action) }).click();
    };
    // A message in the corner is a dialog too, and stays while the page has no focus.
    const dialog = page.locator('[role=dialog]:not([aria-modal=false])');
    const [shown] = await Promise.all([page.context().waitForEvent('page'), act('notes.txt', 'files.download')]);
    await shown.waitForURL(/notes\.txt/);
    expect(await shown.textContent('body')).toBe('hello');
    await shown.close();

    // Looked at, moved into a folder that is there, and no further where something is.
    await page.getByRole('button', { name: 'notes.txt', exact: true }).click();
    await dialog.getByText('hello', { exact: true }).waitFor();
    await visit.check('volume-preview');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await act('notes.txt', 'files.rename');
    await dialog.getByLabel(say('files.rename.path')).fill('2026/notes.txt');
    await dialog.getByRole('button', { name: say('files.rename'), exact: true }).click();
    await row('notes.txt').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '2026' }).click();
    await row('notes.txt').waitFor();
    await act('notes.txt', 'files.rename');
    await dialog.getByLabel(say('files.rename.path')).fill('2026/photos/a.jpg');
    await dialog.getByRole('button', { name: say('files.rename'), exact: true }).click();
    await dialog.getByRole('button', { name: say('files.rename.replace') }).waitFor();
    await visit.check('volume-rename-taken');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    // What is there already is not replaced without being asked.
    await drop(page, { 'notes.txt': 'other', 'new.txt': 'new' });
    const tray = page.getByRole('region', { name: say('uploads.title') });
    await tray.getByRole('button', { name: say('uploads.choice.keep-both') }).waitFor();
    await row('new.txt').waitFor();
    // What had the focus has its name beside it.
    await page.locator('#content').focus();
    await page.getByText(say('files.actions', { name: 'notes.txt' })).waitFor({ state: 'detached' });
    await visit.check('volume-conflict');
    await tray.getByRole('button', { name: say('uploads.choice.keep-both') }).click();
    await row('notes (2).txt').waitFor();
    // The tray stays on other pages, until it is closed.
    await page.goBack();
    await tray.getByRole('button', { name: say('uploads.close') }).click();

    // Many at once.
    await page.getByLabel(say('files.select', { name: '2026' })).check();
    await page.getByRole('button', { name: say('files.selectAll') }).click();
    await visit.check('volume-selected');
    const [zip] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: say('files.zip') }).click(),
    ]);
    expect(zip.suggestedFilename()).toBe(`${volume}.zip`);
    expect(await text(await zip.createReadStream())).toContain('2026/notes (2).txt');
    await page.getByRole('button', { name: say('files.selectNone') }).click();

    await page.getByRole('button', { name: say('files.newFolder') }).click();
    await dialog.getByLabel(say('shell.name')).fill('a/b');
    await dialog.getByText(say('files.newFolder.problem')).waitFor();
    await dialog.getByLabel(say('shell.name')).fill('empty');
    await dialog.getByRole('button', { name: say('files.newFolder.open') }).click();
    await page.getByRole('heading', { name: say('files.empty.title') }).waitFor();
    await page.getByRole('link', { name: say('files.root') }).click();

    await page.getByRole('button', { name: say('files.actions', { name: '2026' }) }).click();
    await page.getByRole('menuitem', { name: say('deployment.delete') }).click();
    await page.getByRole('alertdialog').getByRole('textbox').fill('2026');
    await visit.check('volume-delete-folder');
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('deployment.delete'), exact: true })
      .click();
    await page.getByRole('link', { name: '2026' }).waitFor({ state: 'detached' });

    await page.goto('/volumes');
    await page.getByRole('link', { name: volume }).waitFor();
    await visit.check('volumes');
    await page.getByRole('button', { name: `${say('volumes.delete')}: ${volume}` }).click();
    await page.getByRole('alertdialog').getByRole('textbox').fill(volume);
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('volumes.delete'), exact: true })
      .click();
    await page.getByRole('link', { name: volume }).waitFor({ state: 'detached' });
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: say('volumes.deletedTitle') }).waitFor();
    await visit.check('volumes-deleted');
    await page.getByRole('button', { name: `${say('volumes.restore')}: ${volume}` }).click();
    await page.getByRole('link', { name: volume }).waitFor();

    await page.goto('/volumes/nope');
    await page.getByRole('heading', { name: say('volumes.missing') }).waitFor();
    expect(await page.getByRole('button', { name: say('files.upload') }).count()).toBe(0);
    await visit.check('volume-missing');
  });
});

it('a large upload goes on over a lost connection, and says that it does', { timeout: 180_000 }, async () => {
  await using visit = await openVisit();
  const { page } = visit;
  await post('/v1/volume/create', { name: 'large' });
  await page.goto('/volumes/large');
  await page.getByRole('heading', { name: en['files.empty.title'] }).waitFor();
  const methods: string[] = [];
  page.on('request', (request) => methods.push(request.method()));
  await page.route(
    () => true,
    (route) => (route.request().method() === 'PATCH' ? route.abort('connectionreset') : route.continue()),
  );
  const data = await page.evaluateHandle((sizeBytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(sizeBytes)], 'video.bin'));
    return transfer;
  }, LARGE_BYTES);
  await page.locator('[data-own-drop]').dispatchEvent('drop', { dataTransfer: data });
  await page.getByText(en['uploads.interrupted']).waitFor();
  await visit.check('volume-interrupted');
  await page.unrouteAll();
  await page.getByRole('row').filter({ hasText: 'video.bin' }).filter({ hasText: '17 MiB' }).waitFor();
  expect(methods).toContain('HEAD');
  // A page that is loaded again says what it was sending.
  await page.route(
    () => true,
    (route) => (route.request().method() === 'PATCH' ? undefined : route.continue()),
  );
  const tray = page.getByRole('region', { name: en['uploads.title'] });
  await tray.getByRole('button', { name: en['uploads.close'] }).click();
  const next = await page.evaluateHandle((sizeBytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(sizeBytes)], 'film.bin'));
    return transfer;
  }, LARGE_BYTES);
  await page.locator('[data-own-drop]').dispatchEvent('drop', { dataTransfer: next });
  await tray.getByText('film.bin').first().waitFor();
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto('/keys');
  await tray.getByText(en['uploads.cutOff'], { exact: true }).waitFor();
  await visit.check('uploads-cut-off');
  await tray.getByRole('link', { name: 'large/' }).click();
  await page.getByRole('row').filter({ hasText: 'video.bin' }).waitFor();
});
