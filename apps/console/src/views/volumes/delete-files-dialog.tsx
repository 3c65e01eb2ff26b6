import { ConfirmDialog, useTell } from '@berth/web';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { deleteFolder } from '../../state/volumes/delete-folder.ts';
import { nameOf } from '../../state/volumes/folder-path.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

export interface DeleteFilesDialogProps {
  readonly volume: string;
  /** Of an object, or of a folder with its `/`. */
  readonly path: string;
  onClose(): void;
}

/** Deletes a file, or a folder with all it holds; closing it ends what is under way. */
export function DeleteFilesDialog({ volume, path, onClose }: DeleteFilesDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const [count, setCount] = useState(0);
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const name = nameOf(path);
  const isFolder = path.endsWith('/');
  const remove = useMutation({
    async mutationFn() {
      ending.current = new AbortController();
      const { signal } = ending.current;
      if (isFolder) await deleteFolder({ client, volume, folder: path, signal, onDeleted: setCount });
      else await client.deleteObject(volume, path, { signal });
    },
    onSuccess() {
      tell(t('files.deleted', { name }));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['files', volume] }),
  });
  const progress = remove.isPending && isFolder ? t('files.deleting', { count }) : undefined;
  return (
    <ConfirmDialog
      title={t('files.delete.title', { name })}
      description={progress ?? t(isFolder ? 'files.delete.folder' : 'files.delete.file')}
      action={t('files.delete')}
      typedName={isFolder ? name : undefined}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
