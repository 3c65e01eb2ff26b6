import { createSocket } from 'node:dgram';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../../packages/agent/src/testing/open-test-agent.ts';
import { ARTIFACT_ATTACKS, createArtifactHandler } from './harness/artifacts.ts';
import { type ChatVisit, openChatVisit } from './harness/open-chat-visit.ts';
import { SETTINGS } from './harness/open-visit.ts';
import { openSink, type Sink } from './harness/sink.ts';

/** Pages and components that an agent wrote, which run beside the chat. */

let agent: TestAgent;
let allowing: TestAgent;
let sink: Sink;
const packets: unknown[] = [];
const udp = createSocket('udp4');

beforeAll(async () => {
  sink = await openSink();
  udp.on('message', (packet) => packets.push(packet));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const handler = createArtifactHandler({ origin: sink.origin, udpPort: udp.address().port });
  [agent, allowing] = await Promise.all([
    openTestAgent({ handler }),
    openTestAgent({ handler, artifacts: { network: [sink.origin] } }),
  ]);
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await allowing?.[Symbol.asyncDispose]();
  await sink?.[Symbol.asyncDispose]();
  udp.close();
});

const OWN = {
  en: {
    ...{ code: 'Code', close: 'Close preview', older: 'Previous version', reload: 'Reload' },
    ...{ full: 'Full screen', fix: 'Fix it', of: '1 of 2' },
  },
  ar: {
    ...{ code: 'الشيفرة', close: 'إغلاق المعاينة', older: 'الإصدار السابق', reload: 'إعادة التحميل' },
    ...{ full: 'ملء الشاشة', fix: 'إصلاح', of: '1 من 2' },
  },
} as const;

const paneOf = (page: Page) => page.locator('#artifact');
const insideOf = (page: Page) => paneOf(page).frameLocator('iframe');

async function openLast({ page, answers }: ChatVisit, name: string) {
  await answers.last().getByRole('button', { name }).click();
  await paneOf(page).waitFor();
}

describe.each(SETTINGS)('an artifact, $name', (setting) => {
  it('runs beside the chat, has versions, and shows its code', async () => {
    await using opened = await openChatVisit(agent.url, setting);
    const { page, check } = opened;
    const own = OWN[setting.language];
    await opened.signIn();
    await opened.say('tides');
    await opened.idle();
    await check('chat-artifact-card');
    await opened.say('tides again');
    await opened.idle();
    await openLast(opened, 'Tide table');
    const [pane, inside] = [paneOf(page), insideOf(page)];
    await inside.getByRole('heading', { name: 'Second' }).waitFor();
    await inside.getByRole('button').click();
    await inside.getByRole('button', { name: '1' }).waitFor();
    await check('chat-artifact');
    // What the page did is still there after a look at its code.
    await pane.getByRole('tab', { name: own.code }).click();
    await pane.getByText('localStorage').first().waitFor();
    await check('chat-artifact-code');
    await pane.getByRole('tab').first().click();
    await inside.getByRole('button', { name: '1' }).waitFor();
    await pane.getByRole('button', { name: own.older }).click();
    await inside.getByRole('heading', { name: 'First' }).waitFor();
    await pane.getByText(own.of).waitFor();
    if (setting.width > 500) {
      await pane.getByRole('button', { name: own.full }).click();
      await expect.poll(() => pane.evaluate((node) => node.clientWidth)).toBe(setting.width);
      await inside.getByRole('heading', { name: 'First' }).waitFor();
    } else expect(await pane.evaluate((node) => node.clientWidth)).toBe(setting.width);
    await pane.getByRole('button', { name: own.close }).click();
    await pane.waitFor({ state: 'detached' });

    await opened.say('counter');
    await opened.idle();
    await openLast(opened, 'Tide counter');
    await inside.getByRole('button', { name: 'Pressed 1' }).click();
    await inside.getByRole('button', { name: 'Pressed 2' }).waitFor();
    await pane.getByRole('button', { name: own.close }).click();

    await opened.say('chart');
    await opened.idle();
    await openLast(opened, 'Tide counter');
    await pane.getByText('The module "recharts" is not available').waitFor();
    await check('chat-artifact-error');
    await pane.getByRole('button', { name: own.fix }).click();
    await pane.waitFor({ state: 'detached' });
    await expect.poll(() => opened.field.inputValue()).toContain('The module "recharts" is not available');

    await opened.say('broken');
    await opened.idle();
    await openLast(opened, 'Broken');
    await pane.getByText('ReferenceError: tides is not defined').waitFor();
    expect(opened.problems).toEqual(['tides is not defined']);
  });
});

it('a file that the agent wrote is one, and a shared chat runs it too', async () => {
  await using opened = await openChatVisit(agent.url, { theme: 'dark' });
  const { page } = opened;
  await opened.signIn();
  await opened.say('tides');
  await opened.idle();
  await opened.say('file');
  await opened.idle();
  await page.getByRole('button', { name: 'harbor.html' }).first().click();
  await insideOf(page).getByRole('heading', { name: 'Harbor' }).waitFor();
  await paneOf(page).getByText('1 of 2').waitFor();
  await paneOf(page).getByRole('button', { name: 'Next version' }).click();
  await insideOf(page).getByRole('heading', { name: 'Port' }).waitFor();
  await opened.check('chat-artifact-file');
  const chatId = new URL(page.url()).searchParams.get('id') ?? '';
  const shared = await agent.call(opened.person, 'POST', '/share', { path: `chat/${chatId}` });
  const { url } = (await shared.json()) as { readonly url: string };
  await using stranger = await openChatVisit(agent.url);
  await stranger.page.goto(new URL(url, agent.url).href);
  await stranger.page.getByRole('button', { name: 'Tide table' }).click();
  await insideOf(stranger.page).getByRole('heading', { name: 'First' }).waitFor();
  expect(await paneOf(stranger.page).locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
  await stranger.check('chat-artifact-shared');
});

it('an artifact can’t reach the network or the page', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await opened.signIn();
  for (const attack of Object.keys(ARTIFACT_ATTACKS)) {
    await opened.say(attack);
    await opened.idle();
    await openLast(opened, 'Attack');
    await expect.poll(() => hasRun(page), { message: attack }).toBe(true);
    // What the attack began has the time of a request that is allowed.
    await opened.say(`after ${attack}`);
    await opened.answers.last().getByText(`You said after ${attack}.`).waitFor();
    expect([attack, ...sink.requests], attack).toEqual([attack]);
    expect(packets, attack).toEqual([]);
    expect(page.context().pages(), attack).toHaveLength(1);
    expect(new URL(page.url()).origin, attack).toBe(new URL(agent.url).origin);
    const marks = await page.evaluate(() => [document.title, (window as unknown as { pwned?: number }).pwned]);
    expect(marks, attack).toEqual([expect.not.stringContaining('pwned'), undefined]);
    await paneOf(page).getByRole('button', { name: OWN.en.close }).click();
  }
});

/** The artifact has run, or its frame shows the browser's own page in place of it. */
async function hasRun(page: Page): Promise<boolean> {
  const frame = page.frames().find((one) => one !== page.mainFrame());
  if (!frame) return false;
  return !frame.url().startsWith(agent.url) || frame.locator('#ran').isVisible();
}

it('an artifact has no origin, no storage and no cookie of the page', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await page.goto('/_page/artifact.html');
  const reached = await page.evaluate(async () => {
    const attempt = async (work: () => unknown) => {
      try {
        await work();
        return 'done';
      } catch {
        return 'refused';
      }
    };
    return [
      globalThis.origin,
      await attempt(() => fetch('/config')),
      await attempt(() => localStorage.length),
      await attempt(() => document.cookie),
      await attempt(() => indexedDB.open('x')),
    ];
  });
  expect(reached).toEqual(['null', 'refused', 'refused', 'refused', 'refused']);
});

it('an artifact reaches the origins that the agent’s author allowed', async () => {
  await using opened = await openChatVisit(allowing.url);
  await opened.signIn();
  await opened.say('far');
  await opened.idle();
  await openLast(opened, 'Far');
  await insideOf(opened.page).getByText('reached').waitFor();
  expect(sink.requests).toContain('/allowed');
});

it('an artifact that never yields is stopped by closing it', async () => {
  await using opened = await openChatVisit(agent.url);
  const { page } = opened;
  await opened.signIn();
  await opened.say('busy');
  await opened.idle();
  await openLast(opened, 'Busy');
  await paneOf(page).getByText('It begins').waitFor();
  await paneOf(page).getByRole('button', { name: 'Close preview' }).click();
  await paneOf(page).waitFor({ state: 'detached' });
  await opened.say('still here');
  await opened.answers.last().getByText('You said still here.').waitFor();
});
