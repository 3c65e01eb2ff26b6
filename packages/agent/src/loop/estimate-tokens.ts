import type { AssistantContent, ModelMessage, UserContent } from '../models/model.ts';

/** UTF-8 bytes per token: English has about 4, Chinese about 3, code fewer. */
const BYTES_A_TOKEN = 3.5;
/** Tokens of a picture; upstreams scale every picture to about this. */
const IMAGE_TOKENS = 1_600;
/** Base64 characters of a document per token: a page of text is a few kilobytes of PDF and a thousand tokens. */
const FILE_CHARACTERS_A_TOKEN = 20;
const MESSAGE_TOKENS = 4;

/** Estimates the tokens of messages. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

function estimateMessage(message: ModelMessage): number {
  if (message.role === 'tool') return MESSAGE_TOKENS + estimateText(message.text);
  let tokens = MESSAGE_TOKENS;
  for (const part of message.content as readonly (UserContent | AssistantContent)[]) {
    if ('text' in part) tokens += estimateText(part.text);
    else if ('args' in part) tokens += estimateText(part.args) + MESSAGE_TOKENS;
    else tokens += part.type === 'image' ? IMAGE_TOKENS : Math.ceil(part.data.length / FILE_CHARACTERS_A_TOKEN);
  }
  return tokens;
}
