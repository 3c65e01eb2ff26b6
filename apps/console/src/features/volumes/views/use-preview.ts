import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { formatJson, type PreviewKind, TEXT_BYTES } from '../state/preview-kind.ts';

/** Content of a previewed file. */
export interface Preview {
  /** Object URL of an image; revoked when the view unmounts. */
  readonly address?: string | undefined;
  readonly text?: string | undefined;
  readonly error: Error | null;
}

/**
 * Loads the preview of a file as bytes from the storage's own origin, so that nothing in the file runs in the console.
 */
export function usePreview(volume: string, path: string, kind: PreviewKind | undefined): Preview {
  const { client } = useConsole();
  const { data, error } = useQuery({
    queryKey: QUERY_KEYS.preview(volume, path),
    enabled: kind !== undefined,
    gcTime: 0,
    async queryFn({ signal }): Promise<Blob | string> {
      const { url } = await client.post('/v1/volume/download', { body: { volume, object: path }, signal });
      const headers: Record<string, string> = kind === 'image' ? {} : { Range: `bytes=0-${TEXT_BYTES - 1}` };
      const answer = await fetch(url, { headers, signal, credentials: 'omit' });
      // A range request for an empty file gets 416.
      if (answer.status === 416) return '';
      if (!answer.ok) throw new Error(await answer.text());
      if (kind !== 'image') return kind === 'json' ? formatJson(await answer.text()) : answer.text();
      // Browsers need the type to display an SVG. Within an image element an SVG runs no scripts.
      const type = path.toLowerCase().endsWith('.svg') ? 'image/svg+xml' : '';
      return new Blob([await answer.arrayBuffer()], { type });
    },
  });
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!(data instanceof Blob)) return;
    const made = URL.createObjectURL(data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return { address, text: typeof data === 'string' ? data : undefined, error };
}
