import { CopyCommand, ErrorNote, quote, Skeleton } from '@berth/web';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHead } from '../../shell/page-head.tsx';
import { useConsole } from '../../state/console-context.ts';
import { Crumbs } from './crumbs.tsx';
import { DeleteFilesDialog } from './delete-files-dialog.tsx';
import { DropZone } from './drop-zone.tsx';
import { FileTable } from './file-table.tsx';
import { NoFiles } from './no-files.tsx';
import { UploadButtons } from './upload-buttons.tsx';
import { UploadTray } from './upload-tray.tsx';

/** One folder of a volume, which is the address's: files are put in by dropping them anywhere on it. */
export function VolumePage() {
  const { client } = useConsole();
  const { volume } = useParams({ from: '/volumes/$volume' });
  const { path: folder = '' } = useSearch({ from: '/volumes/$volume' });
  const [deleting, setDeleting] = useState<string>();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['files', volume, folder],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.listObjects(
        { volume, prefix: folder, delimiter: '/', ...(pageParam === '' ? {} : { pageToken: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next_page_token }) => next_page_token,
  });
  const folders = [...new Set(data?.pages.flatMap((page) => page.folders ?? []))];
  const files = data?.pages.flatMap(({ objects }) => objects) ?? [];
  const isEmpty = data !== undefined && folders.length + files.length === 0;
  const listing = new URLSearchParams({ volume, prefix: folder, delimiter: '/' });
  return (
    <DropZone volume={volume} folder={folder}>
      <PageHead title={volume}>
        <CopyCommand
          cli={`npx berth volume ls ${quote(volume)}${folder === '' ? '' : ` ${quote(folder)}`}`}
          http={{ method: 'GET', path: `/v1/volume/objects?${listing}` }}
        />
        <UploadButtons volume={volume} folder={folder} />
      </PageHead>
      <Crumbs volume={volume} folder={folder} />
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={8} />}
      {isEmpty && !hasNextPage && <NoFiles volume={volume} folder={folder} />}
      {data && !isEmpty && (
        <FileTable
          volume={volume}
          folders={folders}
          files={files}
          onDelete={setDeleting}
          onEnd={() => {
            if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
          }}
        />
      )}
      {error && data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {deleting !== undefined && (
        <DeleteFilesDialog volume={volume} path={deleting} onClose={() => setDeleting(undefined)} />
      )}
      <UploadTray />
    </DropZone>
  );
}
