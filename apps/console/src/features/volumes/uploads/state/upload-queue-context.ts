import { createRequiredContext } from '@berth/ui';
import type { UploadQueue } from './upload-queue.ts';

/** The uploads of this tab into volumes. */
export const [UploadQueueContext, useUploadQueue] = createRequiredContext<UploadQueue>('UploadQueueContext');
