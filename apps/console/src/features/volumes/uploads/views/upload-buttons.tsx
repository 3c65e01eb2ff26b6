import { Button } from '@berth/ui';
import { FolderUp, Upload } from 'lucide-react';
import { type ChangeEvent, useRef } from 'react';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { useUploadQueue } from '../state/upload-queue-context.ts';
import { walkPicked } from '../state/walk-nodes.ts';

/** Buttons that upload files or a folder chosen in the browser's file dialog. */
export function UploadButtons({ volume, folder }: { readonly volume: string; readonly folder: string }) {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  const filesRef = useRef<HTMLInputElement>(null);
  const folderRef = useRef<HTMLInputElement>(null);
  const send = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(currentTarget.files ?? [])];
    // Without a reset, choosing the same file again would fire no event.
    currentTarget.value = '';
    if (files.length === 0) return;
    // The files of a chosen folder have relative paths that begin with the folder's name.
    const names = [...new Set(files.map((file) => file.webkitRelativePath.split('/')[0] || file.name))];
    uploads.add(walkPicked(files, volume, folder), { volume, folder, names });
  };
  return (
    <>
      <input ref={filesRef} type="file" multiple hidden aria-label={t('files.upload')} onChange={send} />
      <input
        ref={folderRef}
        type="file"
        {...{ webkitdirectory: '' }}
        hidden
        aria-label={t('files.uploadFolder')}
        onChange={send}
      />
      <Button icon={FolderUp} onClick={() => folderRef.current?.click()} className="max-sm:hidden">
        {t('files.uploadFolder')}
      </Button>
      <Button icon={Upload} look="primary" onClick={() => filesRef.current?.click()}>
        {t('files.upload')}
      </Button>
    </>
  );
}
