import { createClient } from '@berth/client';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { en } from '../../apps/console/src/text/en/index.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const TEXTS = { en, ar } as const;
const CLOSE = { en: 'Close', ar: 'إغلاق' } as const;
const SITE = {
  'index.html': '<!doctype html><title>Site</title><h1>Dropped</h1>',
  '.berthignore': 'secret.txt\n',
  'secret.txt': 'no',
};

/** Drops a folder as a person does: the browser itself makes the entries of it. */
async function dropFolder(page: Page, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(
    ([folder, contents]) => {
      const file = ([path, text]: [string, string]) => ({
        isDirectory: false,
        name: path,
        file: (done: (file: File) => void) => done(new File([text], path)),
      });
      const batches = [Object.entries(contents).map(file), []];
      const entry = {
        isDirectory: true,
        name: folder,
        createReader: () => ({ readEntries: (done: (entries: unknown[]) => void) => done(batches.shift() ?? []) }),
      };
      const dataTransfer = { types: ['Files'], items: [{ webkitGetAsEntry: () => entry }] };
      for (const type of ['dragover', 'drop']) {
        const event = new Event(type, { bubbles: true, cancelable: true });
        Object.assign(event, { dataTransfer });
        document.body.dispatchEvent(event);
      }
    },
    [name, files] as const,
  );
}

const client = () => {
  const { url, key } = inject('platform');
  return createClient({ baseUrl: url, credential: { apiKey: key } });
};

/** A deploy takes seconds: both sizes and both directions of script, once each. */

describe.each(SETTINGS)('deployments, $name', (setting) => {
  const t = (key: keyof typeof en) => String(TEXTS[setting.language][key]);
  const name = `site-${setting.name.replace(' ', '-')}-with-a-name-that-is-rather-long`;
  afterAll(async () => {
    if (await client().findDeployment(name)) await client().deleteDeployment(name);
  });

  it('a dropped folder is deployed, followed through a reload, changed and deleted', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const button = (label: string) => page.getByRole('button', { name: label, exact: true });
    await page.goto('/deployments');
    await page.getByRole('heading', { level: 1, name: t('deployments.title') }).waitFor();
    await dropFolder(page, 'My Site', SITE);
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel(t('deploy.name'), { exact: true }).inputValue()).toBe('my-site');
    await dialog.getByLabel(t('deploy.name'), { exact: true }).fill(name);
    await page.getByText(t('deploy.nameFree')).waitFor();
    await visit.check('deploy');

    await dialog.getByText(t('deploy.settings'), { exact: true }).click();
    await dialog.getByLabel(t('deploy.port'), { exact: true }).fill('99999');
    await dialog.getByLabel(t('deploy.cron'), { exact: true }).fill('0 4 * * *');
    await dialog.getByRole('button', { name: t('deploy.action'), exact: true }).click();
    // What was typed is there again, with what is wrong about it.
    await dialog.getByText('65535').first().waitFor();
    await visit.check('deploy-refused');
    await dialog.getByLabel(t('deploy.port'), { exact: true }).fill('8080');
    await dialog.getByRole('button', { name: t('deploy.action'), exact: true }).click();

    const panel = page.getByRole('region', { name: t('deploy.panel').replace('{name}', name) });
    await panel.getByText(t('deploy.stage.BUILDING'), { exact: true }).waitFor();
    await page.reload();
    await panel.getByText(t('deploy.phase.done'), { exact: true }).waitFor({ timeout: 60_000 });
    await visit.check('deploy-done');
    const address = String(await panel.getByRole('link', { name: t('deploy.open'), exact: true }).getAttribute('href'));
    expect(address).toContain(name);
    const site = await page.context().newPage();
    await site.goto(address);
    expect(await site.getByRole('heading').textContent()).toBe('Dropped');
    expect((await site.goto(`${address}/secret.txt`))?.status()).toBe(404);
    await site.close();
    await panel.getByRole('button', { name: CLOSE[setting.language] }).click();

    await page.getByRole('link', { name }).first().click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('img', { name: t('deployment.plot.requests') }).waitFor();
    await visit.check('deployment');

    const open = (tab: string) => page.getByRole('tab', { name: tab, exact: true }).click();
    await open(t('deployment.tab.revisions'));
    await page.getByText(t('deployment.serving')).waitFor();
    await visit.check('deployment-revisions');
    await open(t('deployment.tab.settings'));
    await page.getByText(t('deployment.settings.text')).waitFor();
    await visit.check('deployment-settings');

    await open(t('deployment.tab.environment'));
    await page.getByText(t('deployment.env.empty')).waitFor();
    await page.getByLabel(t('deployment.env.key'), { exact: true }).fill('GREETING');
    await page.getByLabel(t('deployment.env.value'), { exact: true }).fill('hello');
    await button(t('deployment.env.set')).click();
    await page.getByRole('cell', { name: 'GREETING', exact: true }).waitFor();
    await visit.check('deployment-variables');

    await open(t('deployment.tab.schedule'));
    await button(t('deployment.schedule.now')).click();
    await page.getByRole('row').nth(1).waitFor();
    await visit.check('deployment-schedule');

    await open(t('deployment.tab.domains'));
    const domain = `${name}.example.com`;
    await page.getByLabel(t('deployment.domain'), { exact: true }).fill(domain);
    await button(t('deployment.domain.add')).click();
    await page.getByText(t('deployment.domain.pending')).waitFor();
    await visit.check('deployment-domains');

    await button(t('deployment.delete')).click();
    const question = page.getByRole('alertdialog');
    const confirm = question.getByRole('button', { name: t('deployment.delete'), exact: true });
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await question.getByRole('textbox').fill(name);
    await visit.check('deployment-delete');
    await confirm.click();
    await page.getByRole('heading', { level: 1, name: t('deployments.title') }).waitFor();
    await expect.poll(() => client().findDeployment(name)).toBeUndefined();
  }, 180_000);
});
