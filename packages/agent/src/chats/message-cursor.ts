import { createValidationError } from '@berth/contract';

/** A position in a chat's messages: after `seq`, valid for this generation of the chat. */
export interface MessagePlace {
  readonly generation: number;
  readonly seq: number;
}

export function formatMessageCursor({ generation, seq }: MessagePlace): string {
  return `${generation}.${seq}`;
}

/** Parses a cursor of {@link formatMessageCursor}. @throws `invalid` for any other text. */
export function parseMessageCursor(text: string): MessagePlace {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (match) return { generation: Number(match[1]), seq: Number(match[2]) };
  throw createValidationError([
    { loc: ['query', 'since'], msg: 'not what a chat gave as next', type: 'invalid_cursor' },
  ]);
}
