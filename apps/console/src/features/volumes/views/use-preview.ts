import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { formatJson, type PreviewKind, TEXT_BYTES } from '../state/preview-kind.ts';

export interface Preview {
  /** Of an image, for as long as the view is there. */
  readonly address?: string | undefined;
  readonly text?: string | undefined;
  readonly error: Error | null;
}

/** What a file shows. It comes from the storage's own origin, as bytes: nothing of it runs here. */
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
      // An empty file has no first byte.
      if (answer.status === 416) return '';
      if (!answer.ok) throw new Error(await answer.text());
      if (kind !== 'image') return kind === 'json' ? formatJson(await answer.text()) : answer.text();
      // As an image an SVG runs no script; its type is what browsers go by.
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
