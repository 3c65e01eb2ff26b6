import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';
import { createStore, type Store } from '../../store/store.ts';

export interface DictationState {
  readonly phase: 'idle' | 'asking' | 'recording' | 'writing';
  readonly problem: string | undefined;
}

/** Speaks for the browser's microphone. */
export interface Recorder {
  /** Ends the recording and gives it. */
  stop(): Promise<Blob>;
  /** Lets go of the microphone and forgets what was said. */
  drop(): void;
}

/** Turns what is said into text. */
export interface Dictation {
  readonly state: Store<DictationState>;
  /** Begins to listen; asks for the microphone first. */
  start(): Promise<void>;
  /** Ends it; answers what was said, empty when nothing was or it failed. */
  finish(): Promise<string>;
  cancel(): void;
}

/**
 * @param openRecorder throws what keeps the microphone from being used, in words for people
 */
export function createDictation(api: Pick<Api, 'json'>, openRecorder: () => Promise<Recorder>): Dictation {
  const state = createStore<DictationState>({ phase: 'idle', problem: undefined });
  let recorder: Recorder | undefined;
  /** Counts beginnings and ends, so that what was called off is known when its answer comes. */
  let turn = 0;
  const fail = (mine: number, error: unknown) =>
    mine === turn && state.set({ phase: 'idle', problem: messageOf(error) });
  return {
    state,
    async start() {
      if (state.get().phase !== 'idle') return;
      const mine = ++turn;
      state.set({ phase: 'asking', problem: undefined });
      try {
        const opened = await openRecorder();
        if (mine !== turn) return opened.drop();
        recorder = opened;
        state.patch({ phase: 'recording' });
      } catch (error) {
        fail(mine, error);
      }
    },
    async finish() {
      if (!recorder || state.get().phase !== 'recording') return '';
      const mine = turn;
      state.patch({ phase: 'writing' });
      try {
        const body = new FormData();
        // What it is the server tells by its bytes.
        body.append('file', await recorder.stop(), 'speech');
        const { text } = await api.json<{ text: string }>('/transcribe', { method: 'POST', body });
        if (mine !== turn) return '';
        state.set({ phase: 'idle', problem: undefined });
        return text.trim();
      } catch (error) {
        fail(mine, error);
        return '';
      } finally {
        recorder = undefined;
      }
    },
    cancel() {
      turn += 1;
      recorder?.drop();
      recorder = undefined;
      state.set({ phase: 'idle', problem: undefined });
    },
  };
}
