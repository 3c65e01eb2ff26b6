import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { volumes as ar } from '../../apps/console/src/text/ar/volumes.ts';
import { volumes as en } from '../../apps/console/src/text/en/volumes.ts';
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

/** Drops files on the page, as a browser does that was handed them. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const data = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const [name, content] of Object.entries(given)) transfer.items.add(new File([content], name));
    return transfer;
  }, files);
  const zone = page.locator('[data-own-drop]');
  await zone.dispatchEvent('dragover', { dataTransfer: data });
  await zone.dispatchEvent('drop', { dataTransfer: data });
}

describe.each(SETTINGS)('volumes, $name', (setting) => {
  const texts = TEXTS[setting.language];
  const say = (key: keyof typeof en, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), texts[key] as string);
  const volume = `media-${setting.name.replace(' ', '-')}`;

  it('is made, filled by dropping, browsed, emptied, deleted and brought back', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    await page.goto('/volumes');
    await page.getByRole('button', { name: say('volumes.create') }).click();
    await page.getByLabel(say('volumes.name')).fill(volume);
    await visit.check('volumes-create');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: say('volumes.create') })
      .click();
    await page.getByRole('link', { name: volume }).click();
    await page.getByRole('heading', { name: say('files.empty.title') }).waitFor();
    await visit.check('volume-empty');

    const longName = `a name that is so long that no table shows it whole ${'x'.repeat(60)}.txt`;
    await drop(page, { 'notes.txt': 'hello', [longName]: 'long' });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('notes.txt').waitFor();
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
    await expect.poll(() => page.getByRole('row').count()).toBe(4);

    const [shown] = await Promise.all([
      page.context().waitForEvent('page'),
      (async () => {
        await page.getByRole('button', { name: say('files.actions', { name: 'notes.txt' }) }).click();
        await page.getByRole('menuitem', { name: say('files.download') }).click();
      })(),
    ]);
    await shown.waitForURL(/notes\.txt/);
    expect(await shown.textContent('body')).toBe('hello');
    await shown.close();

    await page.getByRole('button', { name: say('files.actions', { name: '2026' }) }).click();
    await page.getByRole('menuitem', { name: say('files.delete') }).click();
    await page.getByRole('alertdialog').getByRole('textbox').fill('2026');
    await visit.check('volume-delete-folder');
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: say('files.delete'), exact: true })
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
    // The message of the deletion has a button of this name, too.
    await page
      .getByRole('main')
      .getByRole('button', { name: say('volumes.restore') })
      .click();
    await page.getByLabel(say('volumes.name')).fill(volume);
    await page
      .locator('form')
      .getByRole('button', { name: say('volumes.restore') })
      .click();
    await page.getByRole('link', { name: volume }).waitFor();
  });
});

it('a large upload goes on over a lost connection, and says that it does', async () => {
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
});
