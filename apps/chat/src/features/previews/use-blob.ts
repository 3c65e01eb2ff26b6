import { useEffect, useState } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { useReadFile } from '../media/file-reader-context.ts';

/** Reads a file with the person's token. Returns its `blob` or the `error`; both are undefined while it loads. */
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

/** Reads a file as {@link useBlob} does and returns an object URL for it, which is revoked on unmount. */
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
