// @vitest-environment happy-dom
import { createElement } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createStorage } from '../../testing/create-storage.ts';
import { chatOf } from '../../testing/fake-agent.ts';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { assistant, NONE, user } from '../../testing/open-conversation.ts';
import { openBrowser, t } from '../../testing/open-screen.ts';
import { createDrafts } from '../conversation/state/tab-storage.ts';
import { Composer } from '../conversation/views/composer.tsx';

/** The recorders that were opened. */
let recorders: FakeRecorder[] = [];

class FakeRecorder extends EventTarget {
  static supported: readonly string[] = ['audio/webm;codecs=opus', 'audio/mp4'];
  static isTypeSupported(type: string) {
    return FakeRecorder.supported.includes(type);
  }
  readonly mimeType: string;
  state = 'inactive';
  constructor(_stream: unknown, { mimeType = '' }: { readonly mimeType?: string }) {
    super();
    this.mimeType = mimeType;
    recorders.push(this);
  }
  start() {
    this.state = 'recording';
  }
  /** Ends the recording, as a person or a microphone that is unplugged does. */
  stop() {
    if (this.state === 'inactive') throw new DOMException('inactive', 'InvalidStateError');
    this.state = 'inactive';
    this.dispatchEvent(Object.assign(new Event('dataavailable'), { data: new Blob(['sound']) }));
    this.dispatchEvent(new Event('stop'));
  }
}

beforeEach(() => {
  recorders = [];
  vi.stubGlobal('MediaRecorder', FakeRecorder);
});

/** A composer with a microphone. */
async function open({ mayListen = true } = {}) {
  const storage = createStorage();
  const track = { stop: vi.fn() };
  const browser = openBrowser();
  const getUserMedia = async () => {
    if (!mayListen) throw new DOMException('denied', 'NotAllowedError');
    return { getTracks: () => [track] };
  };
  Object.assign(browser.navigator, { mediaDevices: { getUserMedia } });
  const options = { browser, storage, config: { voice: true } };
  const screen = await openChatScreen(createElement(Composer), options);
  const heard = Promise.withResolvers<unknown>();
  screen.agent.on('POST /transcribe', heard.promise);
  const field = () => screen.get('textbox', t('compose.message'));
  return { ...screen, field, heard, storage, track };
}

describe('dictation', () => {
  it('writes what was said behind what was written, and lets go of the microphone', async () => {
    const { agent, field, heard, press, run, text, track, type } = await open();
    await type(field(), 'Cook ');
    await press(t('voice.start'));
    expect(text()).toContain(t('voice.recording'));
    await press(t('voice.finish'));
    expect(text()).toContain(t('voice.writing'));
    expect(track.stop).toHaveBeenCalled();
    await run(() => heard.resolve({ text: 'soup' }));
    expect(field().value).toBe('Cook soup');
    expect(agent.calls.map(({ call }) => call)).toEqual(['POST /transcribe']);
  });

  // Fails when the text of the moment when the recording ended is written back.
  it('keeps what is typed while it is written down', async () => {
    const { drafts, field, heard, press, run, type } = await open();
    await type(field(), 'Cook');
    await press(t('voice.start'));
    await press(t('voice.finish'));
    await type(field(), 'Cook for six');
    await run(() => heard.resolve({ text: 'soup' }));
    expect([field().value, drafts.read()]).toEqual(['Cook for six soup', 'Cook for six soup']);
  });

  // Fails when the draft of the chat where the recording began is written.
  it('is written into the chat that is open', async () => {
    const { agent, conversation, field, heard, press, run, storage } = await open();
    await press(t('voice.start'));
    await press(t('voice.finish'));
    agent.on('GET /chats/c1', chatOf([user('a'), assistant('A')]));
    agent.on('GET /chats/c1/approvals', NONE);
    await run(() => conversation.open('c1'));
    await run(() => heard.resolve({ text: 'soup' }));
    expect(field().value).toBe('soup');
    const drafts = createDrafts(storage);
    expect([drafts.read('c1'), drafts.read()]).toEqual(['soup', undefined]);
  });

  it('that is forgotten writes nothing', async () => {
    const { agent, field, press, run, text, track, type } = await open();
    await type(field(), 'Cook');
    await press(t('voice.start'));
    await press(t('voice.cancel'));
    await run(() => undefined);
    expect([field().value, agent.calls, track.stop.mock.calls.length]).toEqual(['Cook', [], 1]);
    expect(text()).not.toContain(t('voice.recording'));
  });

  // Fails when the page hears the Escape too: it would stop the answer as well.
  it('is forgotten by Escape, which does nothing else then', async () => {
    const { field, has, key, press } = await open();
    await press(t('voice.start'));
    const { isStopped } = await key(field(), 'Escape');
    expect([has('button', t('voice.start')), isStopped]).toEqual([true, true]);
    expect((await key(field(), 'Escape')).isStopped).toBe(false);
  });

  it('lets go of the microphone with the page', async () => {
    const { leave, press, track } = await open();
    await press(t('voice.start'));
    await leave();
    expect([track.stop.mock.calls.length, recorders[0]?.state]).toEqual([1, 'inactive']);
  });
});

describe('a microphone', () => {
  it('that may not be used is told once', async () => {
    const { has, press, text } = await open({ mayListen: false });
    await press(t('voice.start'));
    expect(text().split(t('voice.denied'))).toHaveLength(2);
    expect(has('button', t('voice.start'))).toBe(true);
  });

  it('that is unplugged gives what was said until then', async () => {
    const { field, heard, press, run } = await open();
    await press(t('voice.start'));
    await run(() => recorders[0]?.stop());
    await press(t('voice.finish'));
    await run(() => heard.resolve({ text: 'soup' }));
    expect(field().value).toBe('soup');
  });

  it('records in the first format that the browser has, or in its own', async () => {
    const { press } = await open();
    await press(t('voice.start'));
    expect(recorders[0]?.mimeType).toBe('audio/webm;codecs=opus');
    FakeRecorder.supported = [];
    await press(t('voice.cancel'));
    await press(t('voice.start'));
    expect(recorders[1]?.mimeType).toBe('');
  });
});

it('says why nothing was written down', async () => {
  const { field, heard, press, run, text } = await open();
  await press(t('voice.start'));
  await press(t('voice.finish'));
  await run(() => heard.reject(new Error('The model does not answer.')));
  expect(text()).toContain('The model does not answer.');
  expect(field().value).toBe('');
});
