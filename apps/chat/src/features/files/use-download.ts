import type { FileEntry } from '@berth/contract/agent';
import { useTell } from '@berth/ui';
import { fileUrl } from '../../api/file-path.ts';
import { messageOf } from '../../api/message-of.ts';
import { useReadFile } from '../media/file-reader-context.ts';

/** Time until the object URL is revoked; the download has started by then. */
const KEPT_MS = 60_000;

/** Returns a function that downloads a file, or a folder as a zip, with the person's token, which a link cannot send. */
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
