import { createError } from '@berth/contract';

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
