import { createOwnerOutbound } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { type GuardedAnswer, OutboundError } from '@berth/outbound';
import { recordingSeconds } from './recording-seconds.ts';

const DEFAULT_MODEL = 'whisper-1';
const DEFAULT_SECONDS = 600;
/** The timeout of a transcription. On a small machine it takes as long as the recording plays. */
const TIMEOUT_MS = 300_000;
const MAX_ANSWER_BYTES = 2 * 1_048_576;
const MAX_WAIT_SECONDS = 3_600;
/** Response statuses that mean the recording is invalid. */
const UNREADABLE: readonly number[] = [400, 415, 422];

/** Creates a client of the speech service in `options`. */
export function createTranscriber(options: SpeechOptions, clock: Clock) {
  const { baseUrl, apiKey, model = DEFAULT_MODEL, maxSeconds = DEFAULT_SECONDS } = options;
  const outbound = createOwnerOutbound({ clock });
  const url = `${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`;
  return {
    /**
     * Returns the text of a recording. Errors contain nothing of the service's response.
     * @throws `unsupported_media_type` when it isn't a recording, `payload_too_large` when it is too long, `bad_request` when
     * the service can't read it, `unavailable` when the service fails
     */
    async transcribe(
      recording: Uint8Array,
      { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
    ): Promise<string> {
      const kind = recordingKind(recording);
      if (!kind) {
        throw createError(
          'unsupported_media_type',
          'Send a recording: WAV, MP3, M4A, Ogg, WebM or FLAC. This is not a recording.',
        );
      }
      const seconds = await recordingSeconds(recording, MEDIA_TYPES[kind]);
      if (seconds !== undefined && seconds > maxSeconds) {
        const message = `The recording has ${Math.ceil(seconds)} s; at most ${maxSeconds} s are accepted.`;
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
        logger.warn({ error: describeError(error) }, 'the speech service could not be called');
        const why = error.fault === 'late' ? 'does not respond' : 'cannot be reached';
        throw createError('unavailable', `The speech service ${why}; try again later.`, { cause: error });
      }
      return textOf(answer, logger);
    },
  };
}

async function formOf(recording: Uint8Array, extension: keyof typeof MEDIA_TYPES, model: string) {
  const form = new FormData();
  form.set('model', model);
  form.set('response_format', 'json');
  form.set(
    'file',
    new Blob([recording as Uint8Array<ArrayBuffer>], { type: MEDIA_TYPES[extension] }),
    `recording.${extension}`,
  );
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
  if (UNREADABLE.includes(status)) throw createError('bad_request', 'The speech service cannot read this recording.');
  if (status === 413) throw createError('payload_too_large', 'The recording is too long for the speech service.');
  if (status === 429) {
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    const isSane = seconds > 0 && seconds <= MAX_WAIT_SECONDS;
    const details = isSane ? { retryAfterSeconds: Math.ceil(seconds) } : {};
    throw createError('unavailable', 'The speech service is busy; try again later.', { details });
  }
  const why = status === 401 || status === 403 ? "rejected this agent's key" : 'failed';
  throw createError('unavailable', `The speech service ${why}. See the agent's log.`);
}

function parseText(body: Buffer): string | undefined {
  try {
    const { text } = JSON.parse(body.toString('utf8')) as { readonly text?: unknown };
    return typeof text === 'string' ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** The media types of recordings by file extension, by which speech services distinguish formats. */
const MEDIA_TYPES = {
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  webm: 'audio/webm',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
} as const;

/** The magic number of EBML, the container of WebM. Source: RFC 8794 section 8.1. */
const EBML_HEX = '1a45dfa3';
/**
 * Second bytes of layer III frames of MPEG audio 1, 2 and 2.5: three sync bits, version and layer. Source: ISO 11172-3
 * 2.4.1.3.
 */
const MP3_FRAMES = [0xe2, 0xe3, 0xf2, 0xf3, 0xfa, 0xfb];

/** Detects the format from the first bytes; undefined for formats that speech services don't read. */
function recordingKind(recording: Uint8Array): keyof typeof MEDIA_TYPES | undefined {
  const bytes = Buffer.from(recording.subarray(0, 12));
  const isText = (text: string, at: number) => bytes.toString('latin1', at, at + text.length) === text;
  if (isText('RIFF', 0) && isText('WAVE', 8)) return 'wav';
  if (isText('OggS', 0)) return 'ogg';
  if (isText('fLaC', 0)) return 'flac';
  if (bytes.toString('hex', 0, 4) === EBML_HEX) return 'webm';
  // The file type box comes first. Source: ISO 14496-12 4.3.
  if (isText('ftyp', 4)) return 'm4a';
  if (isText('ID3', 0) || (bytes[0] === 0xff && MP3_FRAMES.includes(bytes[1] as number))) return 'mp3';
  return undefined;
}

/** A speech service with OpenAI's `/audio/transcriptions`: OpenAI, Groq, vLLM, speaches, whisper.cpp, LocalAI… */
export interface SpeechOptions {
  /** The address up to `/v1`, e.g. `https://api.openai.com/v1` or `http://localhost:8000/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** The server's name of the model; `whisper-1` by default. */
  readonly model?: string;
  /** The maximum length of a recording; 600 by default. Not applied when the file doesn't contain its length. */
  readonly maxSeconds?: number;
}

/** Checks options at run time, for callers without a type checker. @throws `invalid` naming the option. */
export function checkSpeechOptions({ baseUrl, maxSeconds = 1 }: SpeechOptions): void {
  const url = typeof baseUrl === 'string' ? URL.parse(baseUrl) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '') {
    const example = "speech: { baseUrl: 'https://api.openai.com/v1', apiKey: '…' }";
    throw createError('invalid', `defineAgent: speech.baseUrl must be the address of a speech service: ${example}`);
  }
  if (!(maxSeconds > 0)) throw createError('invalid', 'defineAgent: speech.maxSeconds must be a number above 0');
}
