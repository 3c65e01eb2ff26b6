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
