import { createRequiredContext } from '@berth/ui';
import type { UploadQueue } from './upload-queue.ts';

/** React context of this tab's upload queue, and the hook that reads it. */
export const [UploadQueueContext, useUploadQueue] = createRequiredContext<UploadQueue>('UploadQueueContext');
