import { expect, it, vi } from 'vitest';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { createDictation, type Recorder } from './dictation.ts';

const recorder = (): Recorder & { drop: ReturnType<typeof vi.fn<() => void>> } => ({
  stop: async () => new Blob(['sound']),
  drop: vi.fn<() => void>(),
});

it('writes what was said', async () => {
  const { api, calls } = createFakeApi({ 'POST /transcribe': () => ({ text: ' hello ' }) });
  const dictation = createDictation(api, async () => recorder());
  const phases: string[] = [];
  dictation.state.subscribe(() => phases.push(dictation.state.get().phase));
  await dictation.start();
  expect(await dictation.finish()).toBe('hello');
  expect(phases).toEqual(['asking', 'recording', 'writing', 'idle']);
  const body = calls[0]?.body as FormData;
  expect(body.get('file')).toBeInstanceOf(Blob);
});

it('says why it could not listen or write', async () => {
  const refused = createDictation(createFakeApi({}).api, () => Promise.reject(new Error('not allowed')));
  await refused.start();
  expect(refused.state.get()).toEqual({ phase: 'idle', problem: 'not allowed' });
  const unheard = createDictation(createFakeApi({}).api, async () => recorder());
  await unheard.start();
  expect(await unheard.finish()).toBe('');
  expect(unheard.state.get()).toEqual({ phase: 'idle', problem: 'nothing answers POST /transcribe' });
});

it('lets go of the microphone when called off, also while it is being asked for', async () => {
  const opened = recorder();
  let give: (value: Recorder) => void = () => {};
  const dictation = createDictation(createFakeApi({}).api, () => new Promise((resolve) => (give = resolve)));
  const started = dictation.start();
  dictation.cancel();
  give(opened);
  await started;
  expect(opened.drop).toHaveBeenCalledOnce();
  expect(dictation.state.get()).toEqual({ phase: 'idle', problem: undefined });
  expect(await dictation.finish()).toBe('');
});

it('records once, however often it is started', async () => {
  const open = vi.fn(async () => recorder());
  const dictation = createDictation(createFakeApi({}).api, open);
  await Promise.all([dictation.start(), dictation.start()]);
  await dictation.start();
  expect(open).toHaveBeenCalledOnce();
});

// Fails when the text of a canceled recording is still written into the message.
it('forgets what is transcribed after it was called off', async () => {
  const answer = Promise.withResolvers<unknown>();
  const { api } = createFakeApi({ 'POST /transcribe': () => answer.promise });
  const opened = recorder();
  const dictation = createDictation(api, async () => opened);
  await dictation.start();
  const finished = dictation.finish();
  dictation.cancel();
  answer.resolve({ text: 'hello' });
  expect(await finished).toBe('');
  expect(dictation.state.get()).toEqual({ phase: 'idle', problem: undefined });
  expect(opened.drop).toHaveBeenCalledOnce();
});

it('says nothing of an error after it was called off', async () => {
  const answer = Promise.withResolvers<unknown>();
  const { api } = createFakeApi({ 'POST /transcribe': () => answer.promise });
  const dictation = createDictation(api, async () => recorder());
  await dictation.start();
  const finished = dictation.finish();
  dictation.cancel();
  answer.reject(new Error('not now'));
  expect(await finished).toBe('');
  expect(dictation.state.get().problem).toBeUndefined();
});

it('can be started again after it failed, without the problem of before', async () => {
  const microphones = [Promise.reject(new Error('not allowed')), Promise.resolve(recorder())];
  const dictation = createDictation(createFakeApi({}).api, () => microphones.shift() as Promise<Recorder>);
  await dictation.start();
  expect(dictation.state.get()).toMatchObject({ phase: 'idle', problem: 'not allowed' });
  await dictation.start();
  expect(dictation.state.get()).toEqual({ phase: 'recording', problem: undefined });
});
