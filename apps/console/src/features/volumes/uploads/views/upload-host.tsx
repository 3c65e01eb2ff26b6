import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useUploadQueue } from '../state/upload-queue-context.ts';

const UploadTray = lazy(async () => ({ default: (await import('./upload-tray.tsx')).UploadTray }));

/** Loads the upload tray on demand. It is mounted outside the pages, so that uploads continue during navigation. */
export function UploadHost() {
  const uploads = useUploadQueue();
  const hasUploads = useSyncExternalStore(uploads.subscribe, () => uploads.state !== undefined);
  return <Suspense>{hasUploads && <UploadTray />}</Suspense>;
}
