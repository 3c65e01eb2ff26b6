import type { FileEntry } from '@berth/contract/agent';
import { useTell } from '@berth/ui';
import { fileUrl } from '../../api/file-path.ts';
import { messageOf } from '../../api/message-of.ts';
import { useReadFile } from '../media/file-reader-context.ts';

/** How long a browser gets to begin with it. */
const KEPT_MS = 60_000;

/** Saves a file, or a folder as a zip: read with the person's token, which a link alone can't send. */
export function useDownload() {
  const readFile = useReadFile();
  const tell = useTell();
  return ({ path, name, type }: Pick<FileEntry, 'path' | 'name' | 'type'>) => {
    readFile(fileUrl(path)).then(
      (blob) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob);
        link.download = type === 'directory' ? `${name}.zip` : name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
      },
      (error) => tell(messageOf(error)),
    );
  };
}
