import { type Client, createClient, createTransport, type SendForm, type Transport } from '@berth/client';
import { createSystemClock } from '@berth/kit';
import { createXhrSendForm } from './deploy/xhr-send-form.ts';

/** Says that a browser asks: only then does the server take the session's cookie for a credential. */
const BROWSER_HEADER = 'X-Berth-Browser';
/** The account of the person's that a call is for; the one joined first without it. */
const ACCOUNT_HEADER = 'X-Account';

/** How the console reaches the platform. */
export interface Platform {
  readonly client: Client;
  /** For what the client has no method for. */
  readonly transport: Transport;
}

export interface CreatePlatformOptions {
  /** Where the console was loaded from: the API is there too. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** The account that the person chose, if they chose one. */
  accountId(): string | undefined;
  /** Called when the server no longer knows the session. */
  onSignedOut(): void;
}

export function createPlatform({ baseUrl, fetch: send, accountId, onSignedOut }: CreatePlatformOptions): Platform {
  const ownHeaders = (): Record<string, string> => {
    const account = accountId();
    return { [BROWSER_HEADER]: '1', ...(account === undefined ? {} : { [ACCOUNT_HEADER]: account }) };
  };
  const callFetch: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(ownHeaders())) headers.set(name, value);
    const response = await send(input, { ...init, headers, credentials: 'same-origin' });
    // Under /v1/auth a 401 is about what was typed.
    const isAboutSession = !new URL(String(input), baseUrl).pathname.startsWith('/v1/auth/');
    if (response.status === 401 && isAboutSession) onSignedOut();
    return response;
  };
  const sendXhrForm = createXhrSendForm();
  const sendForm: SendForm = async (upload) => {
    const answer = await sendXhrForm({ ...upload, headers: { ...upload.headers, ...ownHeaders() } });
    if (answer.status === 401) onSignedOut();
    return answer;
  };
  return {
    client: createClient({ baseUrl, fetch: callFetch, sendForm }),
    transport: createTransport({ baseUrl, fetch: callFetch, clock: createSystemClock() }),
  };
}
