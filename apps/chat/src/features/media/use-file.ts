import { createRequiredContext } from '@berth/ui';
import { useCallback, useEffect, useState } from 'react';
import type { FileUrl } from '../../api/file-path.ts';
import { useLoaded } from '../../components/use-loaded.ts';

/** A function that reads a file of this agent with the person's token, which a link or an `img` cannot send. */
export type ReadFile = (url: FileUrl) => Promise<Blob>;

/** The context and hook of the function that reads files for messages and previews. */
export const [FileReaderContext, useReadFile] = createRequiredContext<ReadFile>('FileReaderContext');

/** Reads a file and passes it to `parse`, which must be the same function on each render. */
export function useFile<Value>(url: FileUrl, parse: (blob: Blob) => Value | Promise<Value>) {
  const readFile = useReadFile();
  return useLoaded(useCallback(async () => parse(await readFile(url)), [readFile, url, parse]));
}

/** Parses a file to its bytes. */
export const toBlob = (blob: Blob) => blob;

/** Reads a file and returns an object URL for it, which is revoked on unmount. */
export function useFileAddress(url: FileUrl) {
  const { value: blob, error } = useFile(url, toBlob);
  const [address, setAddress] = useState<string | undefined>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return { address, error };
}
