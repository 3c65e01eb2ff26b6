import { createValidationError } from '@berth/contract';
import type { ChatMessage } from '@berth/contract/agent';

/**
 * Returns the message that a turn answers: the user's last one.
 * @throws `invalid` when there is none.
 */
export function lastUserMessage(messages: readonly ChatMessage[]): ChatMessage {
  const message = messages.findLast(({ role }) => role === 'user');
  if (message) return message;
  throw createValidationError([
    {
      loc: ['body', 'messages'],
      msg: 'no message has the role user: there is nothing to answer',
      type: 'no_user_message',
    },
  ]);
}
