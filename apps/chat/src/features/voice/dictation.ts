import { createStore, type Store } from '@berth/ui/store';
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';

/** The state of a dictation. */
export interface DictationState {
  readonly phase: 'idle' | 'asking' | 'recording' | 'writing';
  readonly problem: string | undefined;
}

/** A running recording of the microphone. */
export interface Recorder {
  /** Ends the recording and returns it. */
  stop(): Promise<Blob>;
  /** Releases the microphone and discards the recording. */
  drop(): void;
}

/**
 * Creates a dictation, which transcribes speech to text.
 * @param openRecorder starts a recording; throws an error with a message for people when the microphone cannot be used
 */
export function createDictation(api: Pick<Api, 'post'>, openRecorder: () => Promise<Recorder>) {
  const state = createStore<DictationState>({ phase: 'idle', problem: undefined });
  let recorder: Recorder | undefined;
  /** Number of starts and cancellations, which tells whether a response belongs to a canceled recording. */
  let turn = 0;
  const fail = (mine: number, error: unknown) =>
    mine === turn && state.set({ phase: 'idle', problem: messageOf(error) });
  return {
    state: state as Store<DictationState>,
    /** Asks for permission to use the microphone, then starts to record. */
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
    /** Ends the recording and returns its text; empty when nothing was said or the transcription failed. */
    async finish(): Promise<string> {
      if (!recorder || state.get().phase !== 'recording') return '';
      const mine = turn;
      state.patch({ phase: 'writing' });
      try {
        const body = new FormData();
        // The server detects the audio format from the content.
        body.append('file', await recorder.stop(), 'speech');
        const { text } = await api.post('/transcribe', { body });
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
    /** Discards the recording or its transcription. */
    cancel() {
      turn += 1;
      recorder?.drop();
      recorder = undefined;
      state.set({ phase: 'idle', problem: undefined });
    },
  };
}
