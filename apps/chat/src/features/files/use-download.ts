import type { FileEntry } from '@berth/contract/agent';
import { saveFile, useTell } from '@berth/ui';
import { fileUrl } from '../../api/file-path.ts';
import { messageOf } from '../../api/message-of.ts';
import { useReadFile } from '../media/use-file.ts';

/** Returns a function that downloads a file, or a folder as a zip. */
export function useDownload() {
  const readFile = useReadFile();
  const tell = useTell();
  return ({ path, name, type }: Pick<FileEntry, 'path' | 'name' | 'type'>) => {
    readFile(fileUrl(path)).then(
      (blob) => saveFile(type === 'directory' ? `${name}.zip` : name, blob),
      (error) => tell(messageOf(error)),
    );
  };
}
