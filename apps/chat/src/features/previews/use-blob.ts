import { useEffect, useState } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { useReadFile } from '../media/file-reader-context.ts';

/** The bytes of a file, read with the person's token; nothing until they are there. */
export function useBlob(url: FileUrl) {
  const readFile = useReadFile();
  const [state, setState] = useState<{ readonly blob?: Blob; readonly error?: unknown }>({});
  useEffect(() => {
    let isLeft = false;
    readFile(url).then(
      (blob) => isLeft || setState({ blob }),
      (error: unknown) => isLeft || setState({ error }),
    );
    return () => {
      isLeft = true;
    };
  }, [readFile, url]);
  return state;
}

/** As {@link useBlob}, as an address for `img` and the like; let go of with the view. */
export function useBlobUrl(url: FileUrl) {
  const { blob, error } = useBlob(url);
  const [address, setAddress] = useState<string | undefined>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return { address, error };
}
