import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS, type Setting } from './harness/open-visit.ts';

/** What stands beside the conversation: files, trash, teams, tools. */

let agent: TestAgent;

beforeAll(async () => {
  agent = await openTestAgent({ workspaces: 'member', maxUploadMb: 1 });
});
afterAll(() => agent?.[Symbol.asyncDispose]());

const WORDS = {
  en: {
    ...{ files: 'Files', trash: 'Trash', restore: 'Restore: ', undo: 'Undo', attach: 'Attach to message' },
    ...{ newFolder: 'New folder', name: 'Folder name', make: 'Create', more: 'More actions for “', del: 'Delete' },
    ...{ back: 'Back to files', again: 'Retry upload', cancel: 'Cancel upload of ', forGood: 'Permanently delete “' },
    ...{ remove: 'Delete permanently', menu: 'Chats', attached: 'Attached files', palette: 'Command palette' },
    ...{ keys: 'Keyboard shortcuts', tooLarge: 'Files can be up to 1 MB.' },
  },
  ar: {
    ...{ files: 'الملفات', trash: 'سلة المهملات', restore: 'استعادة: ', undo: 'تراجع', attach: 'إرفاق بالرسالة' },
    ...{ newFolder: 'مجلد جديد', name: 'اسم المجلد', make: 'إنشاء', more: 'إجراءات أخرى لـ «', del: 'حذف' },
    ...{ back: 'العودة إلى الملفات', again: 'إعادة محاولة الرفع', cancel: 'إلغاء رفع ', forGood: 'حذف «' },
    ...{ remove: 'حذف نهائي', menu: 'المحادثات', attached: 'الملفات المرفقة', palette: 'لوحة الأوامر' },
    ...{ keys: 'اختصارات لوحة المفاتيح', tooLarge: /الحد الأقصى لحجم الملف/ },
  },
} as const;

async function visit(person: string, setting: Partial<Setting> = {}, address = '/') {
  const opened = await openChatVisit(agent.url, { person, ...setting });
  await opened.signIn(address);
  return { ...opened, own: WORDS[setting.language ?? 'en'] };
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** One page with one line on it. */
const PDF = (() => {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    '<</Length 37>>stream\nBT /F 24 Tf 20 40 Td (On a page) Tj ET\nendstream',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  const body = objects.map((text, index) => `${index + 1} 0 obj${text}endobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer<</Root 1 0 R>>\n`);
})();

const FILES = [
  { name: 'menu.csv', mimeType: 'text/csv', buffer: Buffer.from('dish,price\n"soup, hot",4\nbread,2\n') },
  { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Plan\n\n- **first**\n') },
  { name: 'code.ts', mimeType: 'text/plain', buffer: Buffer.from('export const answer = 42;\n') },
  { name: 'dot.png', mimeType: 'image/png', buffer: PNG },
  { name: 'page.pdf', mimeType: 'application/pdf', buffer: PDF },
  { name: 'blob.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 255]) },
];

/** As a person sees that a page was drawn: something on it is dark. */
const isDrawn = (page: Page) =>
  page.locator('#files canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [255] };
    return data.some((value, index) => index % 4 === 0 && value < 100);
  });

it.each(SETTINGS)('keeps files beside the chat, $name', async (setting) => {
  await using opened = await visit(`files-${setting.language}`, setting);
  const { page, own, check } = opened;
  await page.getByRole('button', { name: own.files, exact: true }).click();
  const pane = page.locator('#files');
  await pane.getByRole('heading', { level: 2 }).waitFor();
  await check('chat-files-empty');
  const picker = pane.locator('input[type=file][multiple]');
  await picker.setInputFiles(FILES);
  const open = (name: string) => pane.getByRole('button', { name: new RegExp(`^${name} `) });
  await open('page.pdf').waitFor();
  await pane.getByRole('button', { name: own.newFolder }).click();
  await page.getByLabel(own.name).fill('reports');
  await page.getByRole('button', { name: own.make, exact: true }).click();
  await open('reports').waitFor();
  await check('chat-files');

  // What is on its way says so, is called off, and is tried again where it got lost; what is too large never goes.
  let isHeld = true;
  await page.route('**/files/film*', (route) => (isHeld ? undefined : route.fallback()));
  await page.route('**/files/lost*', (route) => (isHeld ? route.abort() : route.fallback()));
  await picker.setInputFiles(
    [
      ['film.txt', 10],
      ['lost.txt', 10],
      ['huge.bin', 1024 ** 2 + 1],
    ].map(([name, size]) => ({ name: String(name), mimeType: 'text/plain', buffer: Buffer.alloc(Number(size), 'x') })),
  );
  await pane.getByRole('alert').filter({ hasText: own.tooLarge }).waitFor();
  await pane.getByRole('progressbar', { name: 'film.txt' }).waitFor();
  await check('chat-files-uploading');
  await pane.getByRole('button', { name: `${own.cancel}film.txt` }).click();
  isHeld = false;
  await pane.getByRole('button', { name: own.again }).click();
  await open('lost.txt').waitFor();
  expect(await open('film.txt').count()).toBe(0);

  const back = () => pane.getByRole('button', { name: own.back }).click();
  // Once is enough for what looks alike on a phone.
  if (setting.language === 'en') {
    await open('menu.csv').click();
    await pane.getByRole('cell', { name: 'soup, hot' }).waitFor();
    await check('chat-file-csv');
    await back();
    await open('notes.md').click();
    await pane.getByText('first', { exact: true }).waitFor();
    await back();
    await open('code.ts').click();
    await pane.getByText('export const').or(pane.locator('.hljs-keyword')).first().waitFor();
    await back();
    await open('dot.png').click();
    await pane.getByRole('img', { name: 'dot.png' }).waitFor();
    await page.keyboard.press('Escape');
    await open('blob.bin').click();
    await pane.getByRole('heading', { level: 2 }).waitFor();
    await back();
  }
  await open('page.pdf').click();
  await expect.poll(() => isDrawn(page), { timeout: 20_000 }).toBe(true);
  await check('chat-file-pdf');
  await back();

  const menuOf = (name: string) => pane.getByRole('button', { name: `${own.more}${name}` }).click();
  const remove = async (name: string) => {
    await menuOf(name);
    await page.getByRole('menuitem', { name: own.del, exact: true }).click();
    await open(name).waitFor({ state: 'detached' });
  };
  await remove('notes.md');
  await page.getByRole('button', { name: own.undo }).click();
  await open('notes.md').waitFor();
  await remove('code.ts');
  await remove('blob.bin');
  await menuOf('notes.md');
  await page.getByRole('menuitem', { name: own.attach }).click();
  await pane.getByRole('tab', { name: own.trash }).click();
  await pane.getByRole('button', { name: `${own.restore}code.ts` }).waitFor();
  await check('chat-trash');
  await pane.getByRole('button', { name: `${own.restore}code.ts` }).click();
  await pane.getByRole('button', { name: `${own.forGood}blob.bin` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: own.remove }).click();
  await pane.getByRole('heading', { level: 2 }).waitFor();
  await pane.getByRole('tab', { name: own.files }).click();
  await open('code.ts').waitFor();
  // The file that was attached goes with the message.
  await page.keyboard.press('Escape');
  await pane.waitFor({ state: 'detached' });
  await page.getByRole('list', { name: own.attached }).getByText('notes.md').first().waitFor();
  await opened.say('Read this');
  await page.getByRole('link', { name: 'notes.md' }).waitFor();
  expect(opened.problems).toEqual([]);
});

it('takes files that are dropped and pasted, and folders', async () => {
  await using opened = await visit('dropper');
  const { page } = opened;
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  const pane = page.locator('#files');
  const list = pane.getByRole('list', { name: 'Files', exact: true });
  const target = pane.getByRole('searchbox').locator('xpath=../..');
  const carry = (name: string) =>
    page.evaluateHandle((file) => {
      const data = new DataTransfer();
      data.items.add(new File(['text'], file, { type: 'text/plain' }));
      return data;
    }, name);
  const dropped = await carry('dropped.txt');
  await target.dispatchEvent('dragover', { dataTransfer: dropped });
  await pane.getByText('Drop files to upload to “All files”').waitFor();
  await opened.check('chat-files-drop');
  await target.dispatchEvent('drop', { dataTransfer: dropped });
  await list.getByText('dropped.txt').first().waitFor();
  const pasted = await carry('pasted.txt');
  await target.evaluate(
    (node, clipboardData) => node.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true })),
    pasted,
  );
  await list.getByText('pasted.txt').first().waitFor();
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-folder-'));
  try {
    mkdirSync(path.join(folder, 'deep'));
    writeFileSync(path.join(folder, 'deep/inner.txt'), 'inner');
    await pane.getByLabel('Choose folder').setInputFiles(folder);
    await list.getByText(path.basename(folder)).first().waitFor();
    const inner = await agent.call('dropper', 'GET', `/files/${path.basename(folder)}/deep/inner.txt`);
    expect(await inner.text()).toBe('inner');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('does everything with the keyboard alone', async () => {
  for (const name of ['apple.txt', 'banana.txt', 'cherry.txt']) {
    await agent.call('kim', 'PUT', `/files/${name}`, `About ${name}`);
  }
  await using opened = await visit('kim');
  const { page, field } = opened;
  const { keyboard } = page;
  const isFocused = (name: RegExp) =>
    page.getByRole('button', { name }).evaluate((one) => one === document.activeElement);
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  const choose = async (text: string, option: RegExp | string) => {
    await keyboard.press('Control+k');
    await palette.getByRole('combobox').waitFor();
    await keyboard.type(text);
    await palette.getByRole('option', { name: option }).waitFor();
    await keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
  };
  await opened.say('first words');
  await page.getByText('You said: first words').waitFor();
  await opened.idle();
  await keyboard.press('Control+Shift+O');
  await page.waitForURL(({ search }) => search === '');
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
  await choose('theme: dark', 'Theme: dark');
  // The palette closes before what was chosen is done.
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  await keyboard.press('Control+k');
  await palette.getByRole('combobox').waitFor();
  await opened.check('chat-palette');
  await keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await choose('first', /first words/);
  await page.getByText('You said: first words').waitFor();
  await choose('curl', /: curl$/);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^curl -X POST '?http.*\/chat\?id=.*Bearer \$BERTH_AGENT_TOKEN/);

  await keyboard.press('Control+Shift+F');
  await page
    .locator('#files')
    .getByRole('button', { name: /^apple/ })
    .waitFor();
  // From the pane itself: tab, search, order, folder, upload, and the list is one stop.
  await page
    .locator('#files')
    .getByRole('button', { name: /^apple/ })
    .focus();
  await keyboard.press('ArrowDown');
  await expect.poll(() => isFocused(/^banana/)).toBe(true);
  await keyboard.press('End');
  await expect.poll(() => isFocused(/^cherry/)).toBe(true);
  expect(await page.locator('#files [data-row] button[tabindex="0"]').count()).toBe(2);
  await opened.check('chat-files-keys');
  await keyboard.press('Enter');
  await page.getByText('About cherry.txt').waitFor();
  await keyboard.press('Escape');
  await page
    .locator('#files')
    .getByRole('button', { name: /^cherry/ })
    .waitFor();
  await expect.poll(() => isFocused(/^cherry/)).toBe(true);
  await keyboard.press('Escape');
  await page.locator('#files').waitFor({ state: 'detached' });
  await choose('banana', /banana\.txt/);
  await page.getByText('About banana.txt').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  await page.locator('#files').waitFor({ state: 'detached' });

  await keyboard.press('Control+/');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await opened.check('chat-keys');
  await keys.getByRole('switch').click();
  await keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Settings' }).focus();
  await keyboard.press('?');
  await keyboard.press('/');
  expect(await keys.count()).toBe(0);
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(false);
  expect(opened.problems).toEqual([]);
});

it('opens drawers and sheets on a phone, which hold the focus and stay above the keyboard', async () => {
  const setting = SETTINGS.find(({ width }) => width < 500) as Setting;
  await using opened = await visit('phone', setting);
  const { page, own, check } = opened;
  const menu = page.getByRole('button', { name: own.menu, exact: true });
  await menu.click();
  const drawer = page.getByRole('dialog', { name: own.menu });
  await drawer.waitFor();
  expect(await page.locator('main').evaluate((one) => one.closest('[inert]') !== null)).toBe(true);
  expect(await drawer.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  await check('chat-drawer');
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(await menu.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await page.locator('main').evaluate((one) => one.closest('[inert]'))).toBeNull();
  await page.keyboard.press('Control+/');
  await page.getByRole('dialog', { name: own.keys }).waitFor();
  await check('chat-keys');
  await page.keyboard.press('Escape');
  // As a phone whose keyboard lies over the page.
  await page.evaluate(() => {
    const viewport = window.visualViewport as VisualViewport;
    Object.defineProperty(viewport, 'height', { value: 500 });
    viewport.dispatchEvent(new Event('resize'));
  });
  await expect.poll(async () => (await opened.field.boundingBox())?.y ?? 999).toBeLessThan(500);
  expect(opened.problems).toEqual([]);
});

it('lets the owner of a team look after it and delete it, and a member leave it', async () => {
  await agent.call('mia.acme~Mia-Lee', 'GET', '/workspaces');
  const made = await agent.call('olga.acme', 'POST', '/workspaces', { name: 'Kitchen', icon: '🍳' });
  const { id } = (await made.json()) as { id: string };
  await using owner = await visit('olga.acme~Olga-Orr', {}, `/?ws=${id}`);
  const { page } = owner;
  const manage = async (at: Page) => {
    await at.getByRole('combobox', { name: 'Workspace' }).click();
    await at.getByRole('option', { name: 'Manage team…' }).click();
  };
  await manage(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Kitchen and bar');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog', { name: 'Team “Kitchen and bar”' }).waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'Olga Orr' }).getByText('olga@example.com').waitFor();
  const person = dialog.getByLabel(/Name or e-mail$/);
  await person.fill('eve@example.com');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText(/No one named “eve@example.com” has used this agent yet/).waitFor();
  await person.fill('MIA@example.com');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByRole('listitem').filter({ hasText: 'Mia Lee' }).getByText('mia@example.com').waitFor();
  await owner.check('chat-team');
  await dialog.getByRole('combobox', { name: 'Role of Mia Lee' }).click();
  await page.getByRole('option', { name: 'Admin' }).click();
  await expect
    .poll(async () => await (await agent.call('olga.acme', 'GET', `/workspaces/${id}/members`)).json())
    .toMatchObject([{ role: 'owner' }, { user_id: 'mia', role: 'admin' }]);

  await using member = await visit('mia.acme', {}, `/?ws=${id}`);
  await manage(member.page);
  await member.page.getByRole('button', { name: 'Leave team' }).click();
  await member.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await member.page.waitForURL((url) => url.search === '');
  const rows = await (await agent.call('olga.acme', 'GET', `/workspaces/${id}/members`)).json();
  expect(rows).toMatchObject([{ role: 'owner' }]);

  await dialog.getByRole('button', { name: 'Delete team' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('textbox').fill('Kitchen and bar');
  await owner.check('chat-team-delete');
  await question.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL((url) => url.search === '');
  expect((await agent.call('olga.acme', 'GET', `/workspaces/${id}/members`)).status).toBe(404);
  expect(owner.problems).toEqual([]);
});

it('takes back what was decided about a tool', async () => {
  await agent.call('tom', 'PUT', '/tools/send_mail', { mode: 'allow' });
  await using opened = await visit('tom');
  const { page } = opened;
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Tools' }).click();
  await page.getByRole('combobox', { name: /send_mail/ }).click();
  await page.getByRole('option', { name: 'Block' }).click();
  const modes = async () => await (await agent.call('tom', 'GET', '/tools')).json();
  await expect.poll(modes).toEqual({ send_mail: 'never' });
  await opened.check('chat-tools');
  await page.getByRole('button', { name: 'Reset to default: send_mail' }).click();
  await page.getByText('No tools').waitFor();
  await expect.poll(() => modes()).toEqual({});
});
