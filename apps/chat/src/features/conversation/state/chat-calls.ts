import type { Chat, WaitingApproval } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';
import { contentHash } from './content-hash.ts';
import type { QuestionItem } from './items.ts';

/** A person's decision on a tool call; `always` also approves later calls of the tool. */
export type Decision = 'approve' | 'deny' | 'always';

/** The arguments of a tool call. */
export type ToolArgs = Readonly<Record<string, unknown>>;

/** The server calls of a conversation. */
export interface ChatCalls {
  /** Returns a chat, or undefined when it does not exist. With `since`, the `next` of an earlier read, only later messages. */
  find(chatId: string, options: { since?: string | undefined; signal?: AbortSignal }): Promise<Chat | undefined>;
  /** Returns the tool calls that wait for approval. */
  waiting(chatId: string, signal: AbortSignal): Promise<readonly WaitingApproval[]>;
  /** Decides a tool call. @param args arguments that replace the ones shown */
  decide(chatId: string, key: string, decision: Decision, args?: ToolArgs): Promise<void>;
  /** Stops the chat's turn; false when none is running. */
  stop(chatId: string): Promise<boolean>;
  /** Deletes the last exchange. @throws ApiError 412 when the last message is not `content` */
  takeBack(chatId: string, content: QuestionItem['content']): Promise<void>;
  /**
   * Returns true when `question` is in the chat after the person's first `before` messages; undefined when the chat cannot
   * be read. Called after a connection broke while the message was being sent.
   */
  hasArrived(chatId: string, question: QuestionItem, before: number): Promise<boolean | undefined>;
}

/** Makes the calls through `api`. */
export function createChatCalls(api: Api): ChatCalls {
  const find: ChatCalls['find'] = (id, { since, signal }) =>
    api.get('/chats/{id}', { params: { path: { id }, query: { since } }, signal });
  return {
    find,
    waiting: (id, signal) => api.get('/chats/{id}/approvals', { params: { path: { id } }, signal }),
    async decide(id, key, decision, args) {
      await api.post('/chats/{id}/approvals/{key}', { params: { path: { id, key } }, body: { decision, args } });
    },
    async stop(id) {
      try {
        await api.post('/chats/{id}/stop', { params: { path: { id } } });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
    async takeBack(id, content) {
      const expect = await contentHash(content);
      await api.delete('/chats/{id}/last-exchange', { params: { path: { id }, query: { expect } } });
    },
    async hasArrived(chatId, question, before) {
      try {
        const messages = (await find(chatId, {}))?.messages ?? [];
        return isAmong(question, messages.filter(({ role }) => role === 'user').slice(before));
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns true when one of `messages` has the content of `question`. */
export function isAmong(question: QuestionItem, messages: readonly { readonly content: unknown }[]): boolean {
  const said = JSON.stringify(question.content);
  return messages.some(({ content }) => JSON.stringify(content) === said);
}
