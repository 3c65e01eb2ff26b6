import { afterAll, beforeAll, expect, it } from 'vitest';
import { scripted } from '../../packages/agent/src/models/scripted.ts';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS } from './harness/open-visit.ts';

/** The dialog with what an agent remembers. */

let agent: TestAgent;

const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return 'I will remember it.';
  return { calls: [{ tool: 'save_memory', args: { text: 'Eats no nuts.', scope: 'person' } }] };
});

beforeAll(async () => {
  agent = await openTestAgent({ model, memory: true, handler: undefined } as never);
  await agent.call('eve', 'POST', '/memory', { text: 'Of Eve.', scope: 'person' });
});
afterAll(() => agent?.[Symbol.asyncDispose]());

const WORDS = {
  en: {
    ...{ memory: 'Memory', none: 'No memories yet', what: 'New memory', add: 'Add' },
    ...{ edit: 'Edit: ', change: 'Memory text', save: 'Save', remove: 'Delete: ' },
    ...{ erase: 'Delete everything about me', forget: 'Delete', byAgent: 'Saved by the agent' },
  },
  ar: {
    ...{ memory: 'الذاكرة', none: 'لا توجد ذكريات بعد', what: 'ذكرى جديدة', add: 'إضافة' },
    ...{ edit: 'تعديل: ', change: 'نص الذكرى', save: 'حفظ', remove: 'حذف: ' },
    ...{ erase: 'حذف كل شيء عني', forget: 'حذف', byAgent: 'حفظه الوكيل' },
  },
} as const;

// Fails when the dialog shows what someone else said, or a change on the page doesn't reach the agent.
it.each(SETTINGS)('shows what is remembered, which its person changes and erases, $name', async (setting) => {
  await using opened = await openChatVisit(agent.url, setting);
  const { page, check, words, person } = opened;
  const own = WORDS[setting.language];
  const saved = async () => {
    const memories = (await (await agent.call(person, 'GET', '/memory')).json()) as readonly { text: string }[];
    return memories.map(({ text }) => text).sort();
  };
  await opened.signIn();
  await opened.say('I eat no nuts');
  await page.getByText('I will remember it.').waitFor();
  await page.getByRole('button', { name: words.settings }).click();
  await page.getByRole('menuitem', { name: own.memory }).click();
  const dialog = page.getByRole('dialog', { name: own.memory });
  const list = dialog.getByRole('list', { name: own.memory });
  await list.getByText('Eats no nuts.').waitFor();
  await list.getByText(own.byAgent).waitFor();
  expect(await list.getByText('Of Eve.').count()).toBe(0);

  await dialog.getByLabel(own.what).fill('Cooks for four.');
  await dialog.getByRole('button', { name: own.add }).click();
  await list.getByText('Cooks for four.').waitFor();
  await check('chat-memory');
  await list.getByRole('button', { name: `${own.edit}Eats no nuts.` }).click();
  await list.getByLabel(own.change).fill('Eats no peanuts.');
  await list.getByRole('button', { name: own.save }).click();
  await list.getByText('Eats no peanuts.').waitFor();
  expect(await saved()).toEqual(['Cooks for four.', 'Eats no peanuts.']);
  await list.getByRole('button', { name: `${own.remove}Cooks for four.` }).click();
  await list.getByText('Cooks for four.').waitFor({ state: 'detached' });
  expect(await saved()).toEqual(['Eats no peanuts.']);

  await dialog.getByRole('button', { name: own.erase }).click();
  const question = page.getByRole('alertdialog');
  await check('chat-memory-erase');
  await question.getByRole('button', { name: own.forget }).click();
  await dialog.getByText(own.none).waitFor();
  await check('chat-memory-none');
  expect(await saved()).toEqual([]);
  expect(await (await agent.call('eve', 'GET', '/memory')).json()).toMatchObject([{ text: 'Of Eve.' }]);
  expect(opened.problems).toEqual([]);
});
