import { createRequiredContext } from '@berth/ui';
import type { WritableStore } from '@berth/ui/store';
import type { Attachments } from '../../uploads/attachments.ts';
import type { Conversation } from './create-conversation.ts';
import type { MessageQueue } from './message-queue.ts';
import type { TabStorage } from './tab-storage.ts';

/** The open chat and the message that the person is writing in it. */
export interface OpenChat {
  readonly conversation: Conversation;
  /** The text that the person is writing in each chat. */
  readonly drafts: TabStorage<string>;
  readonly uploads: Attachments;
  readonly queue: MessageQueue;
  /** The number of the message to scroll to; undefined once it is shown. */
  readonly target: WritableStore<number | undefined>;
  /** Text to add to the message that the person is writing; undefined once the composer has added it. */
  readonly added: WritableStore<string | undefined>;
}

/** The context and hook of the open chat. */
export const [OpenChatContext, useOpenChat] = createRequiredContext<OpenChat>('OpenChatContext');
