import { IconButton, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { Check, Mic, X } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { createDictation, type Recorder } from './dictation.ts';

/** A button that records speech and returns it as text. */
export function VoiceButton({ onText }: { onText(text: string): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const tell = useTell();
  const dictation = useMemo(
    () =>
      createDictation(api, () =>
        openRecorder().catch(() => {
          throw new Error(t('voice.denied'));
        }),
      ),
    [api, t],
  );
  const { phase, problem } = useStore(dictation.state);
  useEffect(() => () => dictation.cancel(), [dictation]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reported once for each problem
  useEffect(() => {
    if (problem !== undefined) tell(problem);
  }, [problem]);
  const isIdle = phase === 'idle';
  useEffect(() => {
    if (isIdle) return;
    // The capture phase runs before the page's own Escape handler, because Escape cancels the recording first.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      dictation.cancel();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [isIdle, dictation]);
  const finish = async () => {
    const text = await dictation.finish();
    if (text !== '') onText(text);
  };
  if (isIdle) return <IconButton icon={Mic} label={t('voice.start')} onClick={() => void dictation.start()} />;
  return (
    <span className="inline-flex items-center">
      <span role="status" className="px-1 text-xs text-ink-soft max-sm:sr-only">
        {t(`voice.${phase}`)}
      </span>
      <IconButton icon={X} label={t('voice.cancel')} onClick={dictation.cancel} />
      <IconButton
        icon={phase === 'recording' ? Check : Mic}
        label={t('voice.finish')}
        disabled={phase !== 'recording'}
        onClick={() => void finish()}
        className={phase === 'recording' ? 'bg-accent-soft text-accent!' : 'animate-pulse'}
      />
    </span>
  );
}

/** Media types in order of preference; `POST /transcribe` accepts all of them. */
const TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];

/**
 * Starts to record the microphone.
 * @throws DOMException when the person or the browser does not allow it
 */
export async function openRecorder(): Promise<Recorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType });
  const chunks: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data));
  recorder.start();
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  return {
    stop: () =>
      new Promise((resolve) => {
        const give = () => {
          release();
          resolve(new Blob(chunks, { type: recorder.mimeType }));
        };
        // The recording ends by itself when the microphone is disconnected.
        if (recorder.state === 'inactive') return give();
        recorder.addEventListener('stop', give, { once: true });
        recorder.stop();
      }),
    drop() {
      if (recorder.state !== 'inactive') recorder.stop();
      release();
    },
  };
}
