import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ar } from '../../apps/chat/src/text/ar.ts';
import { en } from '../../apps/chat/src/text/en.ts';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { REPO } from '../harness/berth.ts';
import { onChatPage, openChatVisit } from './harness/open-chat-visit.ts';
import { type CutLine, openProxy } from './harness/open-proxy.ts';
import { SETTINGS } from './harness/open-visit.ts';

/** A network that goes, and an agent that goes: nothing is lost, nothing is there twice. */

/** Of letters that are made of several code points, and bytes. */
const PIECES = Array.from({ length: 600 }, (_, i) => `${['é', '👩‍👩‍👧', 'عربي', '漢字', 'ß', 'w'][i % 6]}${i} `);

/** Ends the answer to 'wait' when it is resolved. */
let held = Promise.withResolvers<void>();

let agent: TestAgent;
let proxy: CutLine;
beforeAll(async () => {
  agent = await openTestAgent({
    async *handler({ messages, signal }) {
      const text = String(messages.at(-1)?.content);
      if (text === 'wait') {
        yield 'Until you say so.';
        return await held.promise;
      }
      if (text !== 'letters') return yield `You said ${text}.`;
      for (const piece of PIECES) {
        if (signal.aborted) return;
        yield piece;
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
    },
  });
  proxy = await openProxy(agent.url);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await agent?.[Symbol.asyncDispose]();
});

interface StoredChat {
  readonly id: string;
  readonly messages: readonly { readonly role: string; readonly content: string; readonly status?: string }[];
}

async function storedChat(at: Pick<TestAgent, 'call'>, person: string): Promise<StoredChat> {
  const [{ id }] = (await (await at.call(person, 'GET', '/chats')).json()) as [{ id: string }];
  return (await (await at.call(person, 'GET', `/chats/${id}`)).json()) as StoredChat;
}

it('an answer goes on over lost connections and a reload, in two tabs, to the last byte', async () => {
  await using opened = await openChatVisit(proxy.url);
  const { page } = opened;
  await opened.signIn();
  await opened.say('letters');
  await page.getByText('w101 ').waitFor();
  proxy.cut();
  const second = await page.context().newPage();
  await second.goto(page.url());
  const other = onChatPage(second, opened.words);
  await page.getByText('w251 ').waitFor();
  proxy.cut();
  await page.getByText('w401 ').waitFor();
  await page.reload();
  const { messages } = await (async () => {
    await opened.answers.getByText('w599').waitFor();
    await opened.idle();
    await other.idle();
    return await storedChat(agent, opened.person);
  })();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(messages[1]?.content).toBe(PIECES.join(''));
  for (const answers of [opened.answers, other.answers]) {
    await expect.poll(() => answers.count()).toBe(1);
    await expect.poll(() => answers.locator('p').allTextContents()).toEqual([PIECES.join('')]);
  }
  await page.bringToFront();
  await opened.answers.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(messages[1]?.content.trim());
  expect(opened.problems).toEqual([]);
});

// Fails when Enter does nothing while an answer streams, a reload loses what waits, or an export lacks what was said.
it.each(SETTINGS)(
  'messages written during an answer wait their turn; the chat is rated and exported, $name',
  async (setting) => {
    await using opened = await openChatVisit(agent.url, {
      ...setting,
      theme: setting.language === 'ar' ? 'dark' : 'light',
    });
    const { page, answers } = opened;
    const texts = { en, ar }[setting.language] as Record<keyof typeof en, string>;
    const called = (key: 'queue.edit' | 'queue.remove', name: string) =>
      page.getByLabel(texts[key].replace('{name}', name));
    const queue = page.getByRole('list', { name: texts['queue.title'] });
    await opened.signIn();
    held = Promise.withResolvers();
    await opened.say('wait');
    await page.getByText('Until you say so.').waitFor();
    for (const message of ['تقرير المد والجزر', 'three', 'two']) await opened.say(message);
    await expect
      .poll(() => queue.getByRole('listitem').allTextContents())
      .toEqual(['تقرير المد والجزر', 'three', 'two']);
    await opened.check('chat-queue');
    await called('queue.remove', 'three').click();
    await called('queue.edit', 'two').click();
    expect(await opened.field.inputValue()).toBe('two');
    await opened.say('two and a half');
    await page.reload();
    await expect
      .poll(() => queue.getByRole('listitem').allTextContents())
      .toEqual(['تقرير المد والجزر', 'two and a half']);
    held.resolve();
    await answers.getByText('You said two and a half.').waitFor();
    await opened.idle();
    const said = ['wait', 'تقرير المد والجزر', 'two and a half'];
    expect(await queue.count()).toBe(0);
    expect(
      (await storedChat(agent, opened.person)).messages.flatMap(({ role, content }) =>
        role === 'user' ? content : [],
      ),
    ).toEqual(said);

    const last = answers.last();
    await last.getByRole('button', { name: texts['feedback.down'] }).click();
    await last.getByRole('button', { name: texts['feedback.note'] }).click();
    const note = page.getByRole('dialog', { name: texts['feedback.note'] });
    await note.getByRole('textbox').fill('الجدول ناقص');
    await opened.check('chat-feedback');
    await note.getByRole('button', { name: texts['chats.save'] }).click();
    await note.waitFor({ state: 'hidden' });
    await page.reload();
    await last.getByRole('button', { name: texts['feedback.down'], pressed: true }).waitFor();

    const exported = async (as: 'chats.exportMarkdown' | 'chats.exportJson') => {
      if (setting.width < 600) await page.getByRole('button', { name: texts['page.menu'], exact: true }).click();
      await page.getByRole('button', { name: texts['chats.more'].replace('{title}', 'wait') }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: texts[as] }).click();
      const file = await text(await (await download).createReadStream());
      if (setting.width < 600) await page.keyboard.press('Escape');
      return file;
    };
    const markdown = await exported('chats.exportMarkdown');
    for (const one of [...said, 'You said two and a half.']) expect(markdown).toContain(one);
    const json = JSON.parse(await exported('chats.exportJson')) as Pick<StoredChat, 'messages'>;
    expect(json.messages.length).toBe(6);
    expect(JSON.stringify(json)).toContain('الجدول ناقص');
    expect(opened.problems).toEqual([]);
  },
);

const WORDS = {
  en: {
    offline: /You're offline\. Your/,
    waiting: /You're offline\. The/,
    unsent: 'Not sent',
    again: 'Try again',
  },
  ar: {
    offline: /أنت غير متصل بالإنترنت\. مسودتك/,
    waiting: /أنت غير متصل بالإنترنت\. ستُرسل/,
    unsent: 'لم تُرسل',
    again: 'إعادة المحاولة',
  },
} as const;

it.each(SETTINGS)('a message waits for the network, and is sent once, $name', async (setting) => {
  await using opened = await openChatVisit(proxy.url, setting);
  const { page, words } = opened;
  const { offline, waiting, unsent, again } = WORDS[setting.language];
  await opened.signIn();
  await opened.say('one');
  await page.getByText('You said one.').waitFor();
  await opened.idle();
  await page.context().setOffline(true);
  await page.getByText(offline).waitFor();
  await opened.say('two');
  await page.getByText(waiting).waitFor();
  await opened.check('chat-offline');
  await page.context().setOffline(false);
  await page.getByText('You said two.').waitFor();
  await opened.idle();
  // Called off, it stays, also over a reload.
  await page.context().setOffline(true);
  await opened.say('three');
  await page.getByText(waiting).waitFor();
  await page.getByRole('button', { name: words.stop, exact: true }).click();
  await page.getByText(unsent).waitFor();
  await page.context().setOffline(false);
  await page.reload();
  await page.getByText(unsent).waitFor();
  await page.getByRole('button', { name: again }).click();
  await page.getByText('You said three.').waitFor();
  await opened.idle();
  const { messages } = await storedChat(agent, opened.person);
  expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(['one', 'two', 'three']);
});

/** The agent that counts, in a process of its own. */
async function startCounter(folder: string, aheadMs = 0) {
  const program = path.join(REPO, 'packages/agent/src/testing/agent-process.ts');
  const child = spawn(process.execPath, [program, folder, String(aheadMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url,
    async kill() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

it('an answer that the agent was killed in stays, says so, and can be gone on with', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'killed-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const first = await startCounter(folder);
  const line = stack.use(await openProxy(first.url));
  await using opened = await openChatVisit(line.url);
  const { page } = opened;
  await opened.signIn();
  await opened.say('count');
  await page.getByText(/\b40 /).waitFor();
  await first.kill();
  await page.getByText('Connection lost').waitFor();
  // Later than a run may be silent for: what ran is taken for gone.
  const next = await startCounter(folder, 60_000);
  stack.defer(() => next.kill());
  line.turnTo(next.url);
  await opened.answers.getByText('Interrupted').waitFor();
  await opened.check('chat-interrupted');
  const counted = (await opened.answers.getByText(/^0 1 2 /).textContent())?.trim().split(' ').map(Number) ?? [];
  expect(counted.length).toBeGreaterThan(20);
  expect(counted).toEqual(counted.map((_, index) => index));
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => opened.answers.count()).toBe(2);
  await opened.answers.last().getByText(/\b5 /).waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await opened.answers.getByText(/^Stopped/).waitFor();
});
