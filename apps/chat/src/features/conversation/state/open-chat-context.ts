import { createRequiredContext } from '@berth/ui';
import type { Attachments } from '../../uploads/attachments.ts';
import type { Conversation } from './create-conversation.ts';
import type { TabStorage } from './tab-storage.ts';

/** The open chat and the message that the person is writing in it. */
export interface OpenChat {
  readonly conversation: Conversation;
  /** The text that the person is writing in each chat. */
  readonly drafts: TabStorage<string>;
  readonly uploads: Attachments;
}

/** The context and hook of the open chat. */
export const [OpenChatContext, useOpenChat] = createRequiredContext<OpenChat>('OpenChatContext');
