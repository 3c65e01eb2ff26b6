import { createRequiredContext } from '@berth/ui';
import type { FileUrl } from '../../api/file-path.ts';

/** A function that reads a file of this agent with the person's token. */
export type ReadFile = (url: FileUrl) => Promise<Blob>;

/** The context and hook of the function that reads files for messages and previews. */
export const [FileReaderContext, useReadFile] = createRequiredContext<ReadFile>('FileReaderContext');
