import { useTell } from '@berth/ui';
import { type ClipboardEvent, type DragEvent, useState } from 'react';
import { joinPath } from '../../api/file-path.ts';
import { messageOf } from '../../api/message-of.ts';
import { droppedFiles } from '../../components/dropped-files.ts';
import { useFiles } from './use-files.ts';

/** Uploads files to the open folder: files passed to `add`, and files dropped on or pasted into an element with `target`. */
export function useFileDrop() {
  const { browser, add: upload } = useFiles();
  const [isDragged, setDragged] = useState(false);
  const tell = useTell();
  const addPaths = (files: readonly { readonly path: string; readonly file: File }[]) => {
    const { folder } = browser.state.get();
    upload(files.map(({ path, file }) => ({ path: joinPath(folder, path), file })));
  };
  // For a folder chosen with the picker, the browser gives the relative path of each file.
  const add = (files: readonly File[]) =>
    addPaths(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
  return {
    isDragged,
    add,
    target: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setDragged(true);
      },
      onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
        if (!currentTarget.contains(relatedTarget as Node | null)) setDragged(false);
      },
      onDrop(event: DragEvent) {
        event.preventDefault();
        setDragged(false);
        droppedFiles(event.dataTransfer).then(addPaths, (error) => tell(messageOf(error)));
      },
      onPaste: ({ clipboardData: { files } }: ClipboardEvent) => add([...files]),
    },
  } as const;
}
