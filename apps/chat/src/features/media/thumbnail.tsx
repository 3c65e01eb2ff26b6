import type { FileUrl } from '../../api/file-path.ts';
import { useFileAddress } from './use-file.ts';

/** Maximum size of an image that is shown as a thumbnail, in bytes: the whole file is read for it. */
export const MAX_THUMBNAIL_BYTES = 4 * 1024 ** 2;

/** A small picture of an image file, beside its name; an empty square until it is read. */
export function Thumbnail({ url }: { readonly url: FileUrl }) {
  const { address } = useFileAddress(url);
  const className = 'size-10 shrink-0 rounded-md bg-hover object-cover';
  if (address === undefined) return <span aria-hidden className={className} />;
  return <img src={address} alt="" loading="lazy" decoding="async" width={40} height={40} className={className} />;
}
