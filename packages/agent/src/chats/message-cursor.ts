import { createValidationError } from '@berth/contract';

/** A place in the messages of a chat: after `seq`, as long as the chat is of this generation. */
export interface MessagePlace {
  readonly generation: number;
  readonly seq: number;
}

export function formatMessageCursor({ generation, seq }: MessagePlace): string {
  return `${generation}.${seq}`;
}

/** @throws `invalid` for what {@link formatMessageCursor} does not make. */
export function parseMessageCursor(text: string): MessagePlace {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (match) return { generation: Number(match[1]), seq: Number(match[2]) };
  throw createValidationError([
    { loc: ['query', 'since'], msg: 'not what a chat gave as next', type: 'invalid_cursor' },
  ]);
}
