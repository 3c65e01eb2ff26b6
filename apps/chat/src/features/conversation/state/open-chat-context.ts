import { createRequiredContext } from '@berth/ui';
import type { Conversation } from './conversation.ts';
import type { Drafts } from './drafts.ts';
import type { Uploads } from './uploads.ts';

/** The chat that is open, and the message that the person is writing in it. */
export interface OpenChat {
  readonly conversation: Conversation;
  readonly drafts: Drafts;
  readonly uploads: Uploads;
}

/** The chat that is open. */
export const [OpenChatContext, useOpenChat] = createRequiredContext<OpenChat>('OpenChatContext');
