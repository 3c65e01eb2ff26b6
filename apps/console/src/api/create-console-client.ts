import { type Client, createClient, type SendForm } from '@berth/client';
import { ACCOUNT_HEADER, BROWSER_HEADER } from '@berth/contract/headers';
import { createXhrSendForm } from './xhr-send-form.ts';

/** Prefix of the routes where a 401 means a wrong password rather than an expired session. */
const SIGN_IN_PATH = '/v1/auth/';

/** Options of {@link createConsoleClient}. */
export interface ConsoleClientOptions {
  /** Origin of the console and of the API. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Sends source archives and reports their progress. */
  readonly sendForm?: SendForm;
  /** Returns the account that the person chose; undefined where they chose none. */
  accountId(): string | undefined;
  /** The language of the page, in which the platform writes e-mails to the person. */
  readonly language?: string;
  /** Waits until the person has signed in again after the session expired; see `SessionStore.renew`. */
  renew(signal: AbortSignal | undefined): Promise<boolean>;
}

/** Creates the client of the platform's API. A call refused with 401 waits until the same person has signed in again, then is retried. */
export function createConsoleClient(options: ConsoleClientOptions): Client {
  const { baseUrl, fetch: send, sendForm: sendOnce = createXhrSendForm(), accountId, language, renew } = options;
  const ownHeaders = (): Record<string, string> => {
    const account = accountId();
    return { [BROWSER_HEADER]: '1', ...(account === undefined ? {} : { [ACCOUNT_HEADER]: account }) };
  };
  const callFetch: typeof fetch = (input, init) => {
    const request = new Request(input, { ...init, credentials: 'same-origin' });
    if (language !== undefined) request.headers.set('Accept-Language', language);
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
  return createClient({ baseUrl, fetch: callFetch, sendForm, renewSession });
}
