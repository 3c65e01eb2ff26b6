import { type AgentClient, type AgentClientOptions, createAgentClient } from '../agent/create-agent-client.ts';
import { type Client, type ClientOptions, createClient } from '../control/client.ts';
import { localhostFetch } from './localhost-fetch.ts';
import { sendFormOverHttp } from './send-form-over-http.ts';

/** {@link createClient} that reaches `<name>.localhost`, with uploads that say how far they are. */
export function createNodeClient(options: ClientOptions): Client {
  return createClient({ fetch: localhostFetch, sendForm: sendFormOverHttp, ...options });
}

/** {@link createAgentClient} that reaches `<name>.localhost`. */
export function createNodeAgentClient(options: AgentClientOptions): AgentClient {
  return createAgentClient({ fetch: localhostFetch, ...options });
}
