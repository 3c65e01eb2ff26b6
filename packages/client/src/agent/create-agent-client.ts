import type { ChatMessage, Feedback, Frame } from '@berth/contract/agent';
import { WORKSPACE_HEADER } from '@berth/contract/headers';
import { BerthError } from '@berth/kit';
import type { paths } from '../generated/agent-api.ts';
import { type ApiCalls, createApiCalls } from '../transport/api-calls.ts';
import type { Credential } from '../transport/credential.ts';
import { type ConnectionOptions, createTransport } from '../transport/transport.ts';
import { readTurn, type TurnOptions } from './read-turn.ts';

export interface AgentClientOptions extends ConnectionOptions {
  /** A token of the agent's own identity provider; absent where it asks for none. */
  readonly token?: string | undefined;
  /** The workspace to work in, by its id; the personal one otherwise. */
  readonly workspaceId?: string | undefined;
}

/** A person's next message and its options. */
export interface TurnRequest {
  /** All of the chat. An agent that keeps the chat takes the last message and goes by what it has of the others. */
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content' | 'attachments'>[];
  /** Keys of approvals, for this turn. */
  readonly approvals?: readonly string[];
  /** False: every tool that writes asks first. */
  readonly auto?: boolean;
}

/** A deployed agent's API. `get`, `post` and the others call any of its routes; every call throws a BerthError. */
export interface AgentClient extends ApiCalls<paths> {
  readonly baseUrl: string;
  /**
   * Sends a message and yields the frames of the answer. The run outlives the connection: one that breaks is taken up again
   * where it broke.
   * @throws `conflict` while the chat has a live run, `unauthenticated` when a token is asked for.
   */
  sendTurn(chatId: string, request: TurnRequest, options?: TurnOptions): AsyncGenerator<Frame>;
  /** The frames of the run that is live, from its first one on. @throws `not_found` when there is none. */
  followTurn(chatId: string, options?: TurnOptions): AsyncGenerator<Frame>;
  /** False when nothing runs. */
  stopTurn(chatId: string): Promise<boolean>;
  /** The chat as a file. @throws `not_found` for an unknown one. */
  exportChat(chatId: string, format: 'markdown' | 'json'): Promise<ReadableStream<Uint8Array>>;
  /** Feedback on answers, the latest change last: the person's own, or that of all members for an admin of an organization. */
  listFeedback(rating?: Feedback['rating']): AsyncGenerator<Feedback>;
  /** The same agent, asked to work in another workspace. */
  inWorkspace(workspaceId: string): AgentClient;
}

/** @throws `bad_request` for a base URL that is none, `unauthenticated` for a token that no header can hold. */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const credential: Credential | undefined = options.token === undefined ? undefined : { bearer: options.token };
  const transport = createTransport({
    ...options,
    credential,
    headers: workspaceHeaders(options.workspaceId),
  });
  const calls = createApiCalls<paths>(transport);
  const openStream = (id: string, after: string, signal: AbortSignal | undefined) => {
    const params = { path: { id }, query: { after: after || undefined } };
    return transport.open({ method: 'get', path: '/chats/{id}/stream', params, signal });
  };
  const { baseUrl, clock } = transport;
  return {
    ...calls,
    baseUrl,
    sendTurn: (chatId, request, turn = {}) => {
      const signal = turn.signal ?? transport.signal;
      const body = { ...request, detach: true };
      return readTurn(
        {
          baseUrl,
          clock,
          begin: () =>
            transport.open({ method: 'post', path: '/chat', params: { query: { id: chatId } }, body, signal }),
          goOn: (after) => openStream(chatId, after, signal),
        },
        { ...turn, signal },
      );
    },
    followTurn: (chatId, turn = {}) => {
      const signal = turn.signal ?? transport.signal;
      const goOn = (after: string) => openStream(chatId, after, signal);
      return readTurn({ baseUrl, clock, begin: () => goOn(''), goOn }, { ...turn, signal });
    },
    stopTurn: async (id) => {
      try {
        await calls.post('/chats/{id}/stop', { params: { path: { id } } });
        return true;
      } catch (error) {
        if (BerthError.is(error, 'not_found')) return false;
        throw error;
      }
    },
    exportChat: (id, format) => {
      const params = { path: { id }, query: { format } };
      return transport.open({ method: 'get', path: '/chats/{id}/export', params });
    },
    async *listFeedback(rating) {
      let link: string | null = null;
      const { fetch = globalThis.fetch } = options;
      const headers = workspaceHeaders(options.workspaceId);
      const pages = createTransport({
        ...{ ...options, credential, headers },
        async fetch(input, init) {
          const response = await fetch(input, init);
          link = response.headers.get('link');
          return response;
        },
      });
      const { get } = createApiCalls<paths>(pages);
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
        const query = { ...(rating && { rating }), ...(cursor && { cursor }) };
        yield* await get('/feedback', { params: { query } });
        cursor = nextCursor(link);
      }
    },
    inWorkspace: (workspaceId) => createAgentClient({ ...options, workspaceId }),
  };
}

/** Returns the cursor in a header `Link: <…>; rel="next"`. */
function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  return (target && new URL(target, 'http://localhost').searchParams.get('cursor')) || undefined;
}

/** Source: docs/contract/agent-api.md §1, "X-Workspace". A person's id may have letters that no header can hold. */
function workspaceHeaders(workspaceId: string | undefined): Readonly<Record<string, string>> {
  if (workspaceId === undefined) return {};
  const [, kind = '', id = ''] = /^(u-)?(.*)$/s.exec(workspaceId) ?? [];
  return { [WORKSPACE_HEADER]: kind + encodeURIComponent(id) };
}
