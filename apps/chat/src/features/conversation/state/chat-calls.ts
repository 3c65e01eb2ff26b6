import type { Chat, WaitingApproval } from '@berth/contract/agent';
import { type Api, ApiError } from '../../../api/api.ts';
import { contentHash } from './content-hash.ts';
import type { QuestionItem } from './items.ts';

export type Decision = 'approve' | 'deny' | 'always';

/** What a tool is given. */
export type ToolArgs = Readonly<Record<string, unknown>>;

/** What the conversation asks of the server about one chat. */
export interface ChatCalls {
  /** Undefined for a chat that is not there. `since`: the `next` of a reading before. */
  find(chatId: string, options: { since?: string | undefined; signal?: AbortSignal }): Promise<Chat | undefined>;
  waiting(chatId: string, signal: AbortSignal): Promise<readonly WaitingApproval[]>;
  /** @param args what the tool is given in place of what was shown */
  decide(chatId: string, key: string, decision: Decision, args?: ToolArgs): Promise<void>;
  /** False when nothing runs. */
  stop(chatId: string): Promise<boolean>;
  /** Takes back the last exchange. @throws ApiError 412 when the last message is another one */
  takeBack(chatId: string, content: QuestionItem['content']): Promise<void>;
  /**
   * After a connection that broke while a message was sent: whether it is in the chat, after so many that were there before.
   * Undefined where that can't be told now.
   */
  hasArrived(chatId: string, question: QuestionItem, before: number): Promise<boolean | undefined>;
}

export function createChatCalls(api: Api): ChatCalls {
  const pathOf = (chatId: string, rest = '') => `/chats/${encodeURIComponent(chatId)}${rest}`;
  const find: ChatCalls['find'] = async (chatId, { since, signal }) => {
    const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
    const response = await api.send(pathOf(chatId, query), signal ? { signal } : {});
    return response.status === 204 ? undefined : ((await response.json()) as Chat);
  };
  return {
    find,
    waiting: (chatId, signal) => api.json(pathOf(chatId, '/approvals'), { signal }),
    async decide(chatId, key, decision, args) {
      await api.sendJson('POST', pathOf(chatId, `/approvals/${encodeURIComponent(key)}`), { decision, args });
    },
    async stop(chatId) {
      try {
        await api.send(pathOf(chatId, '/stop'), { method: 'POST' });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
    async takeBack(chatId, content) {
      const expect = await contentHash(content);
      await api.send(pathOf(chatId, `/last-exchange?expect=${expect}`), { method: 'DELETE' });
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

/** Whether a message is one of `messages`. */
export function isAmong(question: QuestionItem, messages: readonly { readonly content: unknown }[]): boolean {
  const said = JSON.stringify(question.content);
  return messages.some(({ content }) => JSON.stringify(content) === said);
}
