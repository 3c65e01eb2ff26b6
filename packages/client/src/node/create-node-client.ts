import { type Client, type ClientOptions, createClient } from '../client.ts';
import { sendFormOverHttp } from './send-form-over-http.ts';

/** {@link createClient} with uploads that say how far they are. */
export function createNodeClient(options: ClientOptions): Client {
  return createClient({ sendForm: sendFormOverHttp, ...options });
}
