import type { Recorder } from './dictation.ts';

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
