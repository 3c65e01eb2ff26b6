import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useUploadQueue } from '../state/upload-queue-context.ts';

const UploadTray = lazy(async () => ({ default: (await import('./upload-tray.tsx')).UploadTray }));

/** Loads the tray when there is something in it: uploads go on while one looks at other pages. */
export function UploadHost() {
  const uploads = useUploadQueue();
  const hasUploads = useSyncExternalStore(uploads.subscribe, () => uploads.state !== undefined);
  return <Suspense>{hasUploads && <UploadTray />}</Suspense>;
}
