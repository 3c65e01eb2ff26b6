import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { buildPage } from '../../tools/web/build-page.ts';
import { REPO } from '../harness/berth.ts';
import { openVisit, SETTINGS, type Setting } from './harness/open-visit.ts';

/** What stands beside the conversation: files, trash, teams, tools. */

let agent: TestAgent;

beforeAll(async () => {
  await buildPage(REPO, 'apps/chat');
  agent = await openTestAgent({ page: path.join(REPO, 'apps/chat/dist'), workspaces: 'member' });
});
afterAll(() => agent?.[Symbol.asyncDispose]());

const WORDS = {
  en: {
    ...{ signIn: 'Sign in', token: /^A token/, files: 'Files', trash: 'Trash', restore: 'Restore: ', undo: 'Undo' },
    ...{ newFolder: 'New folder', name: 'Name of the folder', make: 'Make', more: 'More for “', del: 'Delete' },
    ...{ back: 'Back to the files' },
  },
  ar: {
    ...{
      signIn: 'تسجيل الدخول',
      token: /^رمز/,
      files: 'الملفات',
      trash: 'المهملات',
      restore: 'استعادة: ',
      undo: 'تراجع',
    },
    ...{ newFolder: 'مجلد جديد', name: 'اسم المجلد', make: 'إنشاء', more: 'المزيد لـ «', del: 'حذف' },
    ...{ back: 'العودة إلى الملفات' },
  },
} as const;

async function visit(person: string, setting: Partial<Setting> = {}, address = '/') {
  const words = WORDS[setting.language ?? 'en'];
  const opened = await openVisit({ ...setting, url: agent.url, isSignedIn: false });
  const { page } = opened;
  await page.goto(address);
  await page.getByRole('button', { name: words.signIn }).click();
  await page.getByLabel(words.token).fill(person);
  await page.getByRole('dialog').getByRole('button', { name: words.signIn }).click();
  await page.locator('#message').waitFor();
  return { ...opened, page, words, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
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
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [255] };
    return data.some((value, index) => index % 4 === 0 && value < 100);
  });

it.each(SETTINGS)('keeps files beside the chat, $name', async (setting) => {
  await using opened = await visit(`files-${setting.language}`, setting);
  const { page, words, check } = opened;
  await page.getByRole('button', { name: words.files, exact: true }).click();
  const pane = page.getByRole('complementary', { name: words.files });
  await pane.getByRole('heading', { level: 2 }).waitFor();
  await check('chat-files-empty');
  await pane.locator('input[type=file]').setInputFiles(FILES);
  const open = (name: string) => pane.getByRole('button', { name: new RegExp(`^${name} `) });
  await open('page.pdf').waitFor();
  await pane.getByRole('button', { name: words.newFolder }).click();
  await page.getByLabel(words.name).fill('reports');
  await page.getByRole('button', { name: words.make, exact: true }).click();
  await open('reports').waitFor();
  await check('chat-files');

  const back = () => pane.getByRole('button', { name: words.back }).click();
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
  await back();
  await open('blob.bin').click();
  await pane.getByRole('heading', { level: 2 }).waitFor();
  await back();
  await open('page.pdf').click();
  await expect.poll(() => isDrawn(page), { timeout: 20_000 }).toBe(true);
  await check('chat-file-pdf');
  await back();

  const remove = async (name: string) => {
    await pane.getByRole('button', { name: `${words.more}${name}` }).click();
    await page.getByRole('menuitem', { name: words.del, exact: true }).click();
    await open(name).waitFor({ state: 'detached' });
  };
  await remove('notes.md');
  await page.getByRole('button', { name: words.undo }).click();
  await open('notes.md').waitFor();
  await remove('code.ts');
  await pane.getByRole('tab', { name: words.trash }).click();
  await pane.getByRole('button', { name: `${words.restore}code.ts` }).waitFor();
  await check('chat-trash');
  await pane.getByRole('button', { name: `${words.restore}code.ts` }).click();
  await pane.getByRole('tab', { name: words.files }).click();
  await open('code.ts').waitFor();
  expect(opened.problems).toEqual([]);
});

it('lets the owner of a team look after it, and a member leave it', async () => {
  const made = await agent.call('olga.acme', 'POST', '/workspaces', { name: 'Kitchen', icon: '🍳' });
  const { id } = (await made.json()) as { id: string };
  await using owner = await visit('olga.acme', {}, `/?ws=${id}`);
  const { page } = owner;
  const manage = async (at: Page) => {
    await at.getByRole('combobox', { name: 'Workspace' }).click();
    await at.getByRole('option', { name: 'Manage this team…' }).click();
  };
  await manage(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is it called?').fill('Kitchen and bar');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog', { name: 'Team “Kitchen and bar”' }).waitFor();
  await dialog.getByLabel(/user id$/).fill('mia');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByRole('combobox', { name: 'Role of mia' }).waitFor();
  await owner.check('chat-team');
  await dialog.getByRole('combobox', { name: 'Role of mia' }).click();
  await page.getByRole('option', { name: 'Admin' }).click();
  await expect
    .poll(async () => await (await agent.call('olga.acme', 'GET', `/workspaces/${id}/members`)).json())
    .toMatchObject([{ role: 'owner' }, { user_id: 'mia', role: 'admin' }]);
  expect(owner.problems).toEqual([]);

  await using member = await visit('mia.acme', {}, `/?ws=${id}`);
  await manage(member.page);
  await member.page.getByRole('button', { name: 'Leave this team' }).click();
  await member.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await member.page.waitForURL((url) => url.search === '');
  const rows = await (await agent.call('olga.acme', 'GET', `/workspaces/${id}/members`)).json();
  expect(rows).toMatchObject([{ role: 'owner' }]);
});

it('takes back what was decided about a tool', async () => {
  await agent.call('tom', 'PUT', '/tools/send_mail', { mode: 'allow' });
  await using opened = await visit('tom');
  const { page } = opened;
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Tools' }).click();
  await page.getByRole('combobox', { name: /send_mail/ }).click();
  await page.getByRole('option', { name: 'Never' }).click();
  const modes = async () => await (await agent.call('tom', 'GET', '/tools')).json();
  await expect.poll(modes).toEqual({ send_mail: 'never' });
  await opened.check('chat-tools');
  await page.getByRole('button', { name: 'As by default: send_mail' }).click();
  await page.getByText(/Nothing is decided yet/).waitFor();
  await expect.poll(() => modes()).toEqual({});
});
