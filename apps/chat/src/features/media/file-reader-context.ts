import { createRequiredContext } from '@berth/ui';
import type { FileUrl } from '../../api/file-path.ts';

/** Reads a file of this agent with the person's token. */
export type ReadFile = (url: FileUrl) => Promise<Blob>;

/** How messages and previews read the files that they show. */
export const [FileReaderContext, useReadFile] = createRequiredContext<ReadFile>('FileReaderContext');
