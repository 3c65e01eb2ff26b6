import type { UiFrame } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';
import type { AnswerFeedback, QuestionItem } from './items.ts';

/** A person's decision on a tool call; `always` also approves later calls of the tool. */
export type Decision = 'approve' | 'deny' | 'always';

/** The arguments of a tool call. */
export type ToolArgs = Readonly<Record<string, unknown>>;

/** Returns the server calls of a conversation. */
export function createChatCalls(api: Api) {
  /** Returns a chat, or undefined when it does not exist. With `since`, the `next` of an earlier read, only later messages. */
  const find = (id: string, { since, signal }: { since?: number | undefined; signal?: AbortSignal }) =>
    api.get('/chats/{id}', { params: { path: { id }, query: { since } }, signal });
  return {
    find,
    /** Returns the tool calls that wait for approval, each as the frame of its card. */
    async waiting(id: string, signal: AbortSignal): Promise<readonly UiFrame[]> {
      const waiting = await api.get('/chats/{id}/approvals', { params: { path: { id } }, signal });
      return waiting.map((call) => ({ ...call, type: 'ui', action: 'confirm' }));
    },
    /**
     * Decides a tool call. Returns true when the answer goes on now, in a turn of its own.
     * @param args arguments that replace the ones shown
     */
    async decide(id: string, key: string, decision: Decision, args?: ToolArgs): Promise<boolean> {
      const path = { id, key };
      const { run } = await api.post('/chats/{id}/approvals/{key}', { params: { path }, body: { decision, args } });
      return run !== null && run !== undefined;
    },
    /** Continues the answer that ends with a `connect` card; false when the chat has none, or its agent can't continue it. */
    async continueAnswer(id: string): Promise<boolean> {
      try {
        await api.post('/chats/{id}/continue', { params: { path: { id } }, body: {} });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) return false;
        throw error;
      }
    },
    /** Stops the chat's turn; false when none is running. */
    async stop(id: string): Promise<boolean> {
      try {
        await api.post('/chats/{id}/stop', { params: { path: { id } } });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
    /** Shows another version of a message. @throws ApiError 404 when the chat has no such version, 409 while a turn runs */
    showVersion: (id: string, seq: number) => api.post('/chats/{id}/versions/{seq}', { params: { path: { id, seq } } }),
    /** Stores the person's feedback on an answer. */
    rate: (id: string, seq: number, body: AnswerFeedback) =>
      api.put('/chats/{id}/messages/{seq}/feedback', { params: { path: { id, seq } }, body }),
    /** Deletes the last exchange. @throws ApiError 412 when the last message is not `content` */
    async takeBack(id: string, content: QuestionItem['content']) {
      const expect = await contentHash(content);
      await api.delete('/chats/{id}/last-exchange', { params: { path: { id }, query: { expect } } });
    },
    /**
     * Returns true when `question` is in the chat after the person's first `before` messages; undefined when the chat cannot
     * be read. Called after a connection broke while the message was being sent.
     */
    async hasArrived(chatId: string, question: QuestionItem, before: number): Promise<boolean | undefined> {
      try {
        const messages = (await find(chatId, {}))?.messages ?? [];
        return isAmong(question, messages.filter(({ role }) => role === 'user').slice(before));
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns true when one of `messages` has the content of `question`, and is not the version that it replaces or an earlier one. */
export function isAmong(
  { content: said, replaces = 0 }: QuestionItem,
  messages: readonly { readonly content: unknown; readonly seq?: number | undefined }[],
): boolean {
  const text = JSON.stringify(said);
  return messages.some(
    ({ content, seq = Number.POSITIVE_INFINITY }) => seq > replaces && JSON.stringify(content) === text,
  );
}

/**
 * Returns the hexadecimal SHA-256 of a message's text, or of its parts as JSON. It identifies the message when the last
 * exchange is deleted. Source: docs/contract/agent-api.md §4.
 */
export async function contentHash(content: QuestionItem['content']): Promise<string> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
