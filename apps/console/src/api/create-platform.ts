import { type Client, createClient, type SendForm } from '@berth/client';
import { createXhrSendForm } from './xhr-send-form.ts';

/** Says that a browser asks: only then does the server take the session's cookie for a credential. */
const BROWSER_HEADER = 'X-Berth-Browser';
/** The account of the person's that a call is for; the one joined first without it. */
const ACCOUNT_HEADER = 'X-Account';
/** Under it a 401 is about what was typed. */
const SIGN_IN_PATH = '/v1/auth/';

/** How the console reaches the platform. */
export interface Platform {
  readonly client: Client;
}

export interface CreatePlatformOptions {
  /** Where the console was loaded from: the API is there too. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Sends archives, and tells how far it is. */
  readonly sendForm?: SendForm;
  /** The account that the person chose, if they chose one. */
  accountId(): string | undefined;
  /** Has the person sign in again when the server no longer knows the session; see `SessionStore.renew`. */
  renew(signal: AbortSignal | undefined): Promise<boolean>;
}

/** What is refused with 401 waits for its person to sign in again, and is then asked for once more. */
export function createPlatform(options: CreatePlatformOptions): Platform {
  const { baseUrl, fetch: send, sendForm: sendOnce = createXhrSendForm(), accountId, renew } = options;
  const ownHeaders = (): Record<string, string> => {
    const account = accountId();
    return { [BROWSER_HEADER]: '1', ...(account === undefined ? {} : { [ACCOUNT_HEADER]: account }) };
  };
  const callFetch: typeof fetch = (input, init) => {
    const request = new Request(input, { ...init, credentials: 'same-origin' });
    for (const [name, value] of Object.entries(ownHeaders())) request.headers.set(name, value);
    return send(request);
  };
  const sendForm: SendForm = async (upload) => {
    const attempt = () => sendOnce({ ...upload, headers: { ...upload.headers, ...ownHeaders() } });
    const answer = await attempt();
    return answer.status === 401 && (await renew(upload.signal)) ? attempt() : answer;
  };
  const renewSession = async (path: string, signal: AbortSignal | undefined) =>
    !path.startsWith(SIGN_IN_PATH) && renew(signal);
  return { client: createClient({ baseUrl, fetch: callFetch, sendForm, renewSession }) };
}
