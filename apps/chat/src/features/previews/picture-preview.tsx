import { ErrorNote, Skeleton } from '@berth/ui';
import type { FileUrl } from '../../api/file-path.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { EnlargeButton } from './enlarge-button.tsx';
import { useBlobUrl } from './use-blob.ts';

/** A preview of an image that opens full screen when pressed. */
export function PicturePreview({ url, name }: { readonly url: FileUrl; readonly name: string }) {
  const { t } = useChatTexts();
  const { address, error } = useBlobUrl(url);
  if (error !== undefined) return <ErrorNote error={error} />;
  if (address === undefined) return <Skeleton rows={6} />;
  return <EnlargeButton src={address} alt={name} label={t('files.enlarge', { name })} />;
}
