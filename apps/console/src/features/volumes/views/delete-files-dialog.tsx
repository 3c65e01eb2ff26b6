import { ConfirmDialog, quote, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { deleteFile, deleteFolder } from '../state/delete-folder.ts';
import { nameOf } from '../state/folder-path.ts';

interface DeleteFilesDialogProps {
  readonly volume: string;
  /** Paths of objects, and of folders with a trailing `/`; at least one. */
  readonly paths: readonly string[];
  onDeleted(): void;
  onClose(): void;
}

/** Dialog that deletes files, and folders with their contents. Closing the dialog cancels the remaining deletions. */
export function DeleteFilesDialog({ volume, paths, onDeleted, onClose }: DeleteFilesDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const [count, setCount] = useState(0);
  const ending = useRef<AbortController>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const [path = ''] = paths;
  const one = paths.length === 1 ? nameOf(path) : undefined;
  const folder = paths.find((each) => each.endsWith('/'));
  const remove = useMutation({
    async mutationFn() {
      ending.current = new AbortController();
      const { signal } = ending.current;
      let before = 0;
      for (const each of paths) {
        const onMore = (more: number) => setCount(before + more);
        let more = 1;
        if (each.endsWith('/')) more = await deleteFolder({ client, volume, folder: each, signal, onDeleted: onMore });
        else await deleteFile({ client, volume, path: each, signal });
        before += more;
        setCount(before);
      }
    },
    onSuccess() {
      tell(
        one === undefined ? t('files.deletedMany', { count: paths.length }) : t('deployment.deleted', { name: one }),
      );
      onDeleted();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: QUERY_KEYS.filesOf(volume) }),
  });
  const isLong = paths.length > 1 || folder !== undefined;
  const progress = remove.isPending && isLong ? t('files.deleting', { count }) : undefined;
  return (
    <ConfirmDialog
      title={
        one === undefined
          ? t('files.deleteMany.title', { count: paths.length })
          : t('deployment.delete.title', { name: one })
      }
      description={progress ?? t(folder === undefined ? 'files.delete.file' : 'files.delete.folder')}
      action={t('deployment.delete')}
      typedName={one !== undefined && folder !== undefined ? one : undefined}
      command={{
        cli: `npx berth volume rm ${quote(volume)} ${quote(path)}${path.endsWith('/') ? ' -r' : ''}`,
        http: { method: 'POST', path: '/v1/volume/delete-object', body: { volume, path } },
      }}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
