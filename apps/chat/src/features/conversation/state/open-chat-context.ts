import { createRequiredContext } from '@berth/ui';
import type { Conversation } from './conversation.ts';
import type { Drafts } from './drafts.ts';
import type { Uploads } from './uploads.ts';

/** The open chat and the message that the person is writing in it. */
export interface OpenChat {
  readonly conversation: Conversation;
  readonly drafts: Drafts;
  readonly uploads: Uploads;
}

/** The context and hook of the open chat. */
export const [OpenChatContext, useOpenChat] = createRequiredContext<OpenChat>('OpenChatContext');
