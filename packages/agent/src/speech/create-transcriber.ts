import { createOwnerOutbound } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { type GuardedAnswer, OutboundError } from '@berth/outbound';
import { type RecordingKind, recordingKind } from './recording-kind.ts';
import { recordingSeconds } from './recording-seconds.ts';
import type { SpeechOptions } from './speech-options.ts';

/** A client of a speech-to-text service. */
export interface Transcriber {
  /**
   * Returns the text of a recording. Errors contain nothing of the service's response.
   * @throws `unsupported_media_type` when it isn't a recording, `payload_too_large` when it is too long, `bad_request` when
   * the service can't read it, `unavailable` when the service fails
   */
  transcribe(
    recording: Uint8Array,
    options: { readonly logger: Logger; readonly signal: AbortSignal },
  ): Promise<string>;
}

const DEFAULT_MODEL = 'whisper-1';
const DEFAULT_SECONDS = 600;
/** The timeout of a transcription. On a small machine it takes as long as the recording plays. */
const TIMEOUT_MS = 300_000;
const MAX_ANSWER_BYTES = 2 * 1_048_576;
const MAX_WAIT_SECONDS = 3_600;
/** Response statuses that mean the recording is invalid. */
const UNREADABLE: readonly number[] = [400, 415, 422];

/** Creates a client of the speech service in `options`. */
export function createTranscriber(options: SpeechOptions, clock: Clock): Transcriber {
  const { baseUrl, apiKey, model = DEFAULT_MODEL, maxSeconds = DEFAULT_SECONDS } = options;
  const outbound = createOwnerOutbound({ clock });
  const url = `${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`;
  return {
    async transcribe(recording, { logger, signal }) {
      const kind = recordingKind(recording);
      if (!kind) {
        throw createError(
          'unsupported_media_type',
          'Send a recording: WAV, MP3, M4A, Ogg, WebM or FLAC. This is none.',
        );
      }
      const seconds = await recordingSeconds(recording, kind.mediaType);
      if (seconds !== undefined && seconds > maxSeconds) {
        const message = `The recording has ${Math.ceil(seconds)} s; at most ${maxSeconds} s are taken.`;
        throw createError('payload_too_large', message);
      }
      const { body, contentType } = await formOf(recording, kind, model);
      let answer: GuardedAnswer;
      try {
        answer = await outbound.fetch({
          url,
          method: 'POST',
          body,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          signal,
          headers: {
            Accept: 'application/json',
            'Content-Type': contentType,
            ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
          },
        });
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        logger.warn({ error: describeError(error) }, 'the speech service could not be asked');
        const why = error.fault === 'late' ? 'does not answer' : 'can not be reached';
        throw createError('unavailable', `The speech service ${why}; try again later.`, { cause: error });
      }
      return textOf(answer, logger);
    },
  };
}

async function formOf(recording: Uint8Array, { extension, mediaType }: RecordingKind, model: string) {
  const form = new FormData();
  form.set('model', model);
  form.set('response_format', 'json');
  form.set('file', new Blob([recording as Uint8Array<ArrayBuffer>], { type: mediaType }), `recording.${extension}`);
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') as string;
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType };
}

function textOf({ status, headers, body }: GuardedAnswer, logger: Logger): string {
  if (status === 200) {
    const text = parseText(body);
    if (text !== undefined) return text;
  }
  logger.warn({ status, contentType: headers['content-type'] }, 'the speech service gave no transcription');
  if (UNREADABLE.includes(status)) throw createError('bad_request', 'The speech service can not read this recording.');
  if (status === 413) throw createError('payload_too_large', 'The recording is too long for the speech service.');
  if (status === 429) {
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    const isSane = seconds > 0 && seconds <= MAX_WAIT_SECONDS;
    const details = isSane ? { retryAfterSeconds: Math.ceil(seconds) } : {};
    throw createError('unavailable', 'The speech service is busy; try again later.', { details });
  }
  const why = status === 401 || status === 403 ? 'does not take the key of this agent' : 'does not work as it should';
  throw createError('unavailable', `The speech service ${why}. Its owner's log has more.`);
}

function parseText(body: Buffer): string | undefined {
  try {
    const { text } = JSON.parse(body.toString('utf8')) as { readonly text?: unknown };
    return typeof text === 'string' ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}
