import { beforeAll, describe, expect, it } from 'vitest';
import { ar } from '../../apps/console/src/text/ar/index.ts';
import { en } from '../../apps/console/src/text/en/index.ts';
import { greeter } from '../harness/project-files.ts';
import { deployService } from './harness/deploy-service.ts';
import { openVisit, SETTINGS } from './harness/open-visit.ts';

const TEXTS = { en, ar } as const;
const NAME = 'a-service-to-look-into';

beforeAll(() => deployService(NAME, greeter('hello')));

describe.each(SETTINGS)('instances and their terminal, $name', (setting) => {
  const t = (key: keyof typeof en, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, value),
      String(TEXTS[setting.language][key]),
    );

  // Fails when the page's policy refuses what xterm.js styles, or a flood of output stops the page.
  it('a shell is opened from the list, types, colors, resizes, floods, ends and is opened anew', async () => {
    await using visit = await openVisit(setting);
    const { page } = visit;
    const button = (label: string) => page.getByRole('button', { name: label, exact: true });
    const status = page.getByRole('status');
    const screen = page.locator('.xterm-rows');
    const type = async (line: string) => {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
    };
    await page.goto(`/deployments/${NAME}?tab=terminal`);
    await button(t('terminal.connect')).click();
    await status.getByText(t('terminal.connected', { instance: 'inst_' })).waitFor({ timeout: 60_000 });

    // The instance that the shell woke is in the list, and the shell goes on behind it.
    await type('kept=41');
    await page.getByRole('tab', { name: t('deployment.tab.instances'), exact: true }).click();
    await page.getByRole('cell').getByText(t('instance.ready'), { exact: true }).waitFor();
    await visit.check('instances');
    await page.getByRole('link', { name: t('instance.terminal'), exact: true }).click();
    await expect.poll(() => page.url()).toContain('instance=inst_');
    await page.locator('.xterm-screen').click();
    await type(`printf '\\033[38;2;200;30;30mred\\033[0m %s\\n' sum-$((kept + 1))`);
    await screen.getByText('sum-42').waitFor();
    const red = screen.getByText('red', { exact: true }).last();
    expect(await red.evaluate((element) => getComputedStyle(element).color)).toMatch(/^rgb\(\d+, \d+, \d+\)$/);
    await visit.check('terminal');

    await page.setViewportSize({ width: setting.width - 60, height: setting.height });
    await type('stty size > /tmp/before; sleep 1; stty size | sed s/^/now-/');
    await screen.getByText(/now-\d+ \d+/).waitFor();
    await page.setViewportSize({ width: setting.width, height: setting.height });

    // Far more than the page may keep; it is shown as fast as the page can.
    await type('yes 0123456789 | head -c 20000000; echo flood-$((1 + 1))');
    await screen.getByText('flood-2').waitFor({ timeout: 60_000 });

    await page.evaluate(() => navigator.clipboard.writeText('echo pasted-$((2 + 2))'));
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Enter');
    await screen.getByText('pasted-4').waitFor();

    await page.keyboard.press('Control+F6');
    await expect
      .poll(() => button(t('terminal.disconnect')).evaluate((one) => one === document.activeElement))
      .toBe(true);
    await page.locator('.xterm-screen').click();
    await type('exit 3');
    await status.getByText(t('terminal.exit', { code: '' }).trim()).waitFor();
    await visit.check('terminal-ended');
    await button(t('terminal.reconnect')).click();
    await status.getByText(t('terminal.connected', { instance: 'inst_' })).waitFor();
    await expect.poll(() => screen.textContent()).not.toContain('pasted-4');
    await button(t('terminal.disconnect')).click();
  }, 180_000);
});

it('the terminal has the colors of the dark theme', async () => {
  await using visit = await openVisit({ theme: 'dark' });
  const { page } = visit;
  await page.goto(`/deployments/${NAME}?tab=terminal`);
  await page.getByRole('button', { name: en['terminal.connect'], exact: true }).click();
  await page.getByRole('status').getByText('inst_').waitFor({ timeout: 60_000 });
  await page.keyboard.type("printf '\\033[34mblue\\033[0m\\n'");
  await page.keyboard.press('Enter');
  await page.locator('.xterm-rows').getByText('blue', { exact: true }).waitFor();
  await visit.check('terminal');
});
