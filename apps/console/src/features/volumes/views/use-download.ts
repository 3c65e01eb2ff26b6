import { useTell } from '@berth/ui';
import { useConsole } from '../../../api/console-context.ts';
import { nameOf } from '../state/folder-path.ts';

/** Returns a function that makes the browser download an object of a volume. */
export function useDownload(volume: string): (path: string) => Promise<void> {
  const { client } = useConsole();
  const tell = useTell();
  return async (path) => {
    try {
      const { url } = await client.post('/v1/volume/download', { body: { volume, object: path } });
      const link = Object.assign(document.createElement('a'), { href: url, download: nameOf(path), rel: 'noopener' });
      // Files that a browser displays itself open in a new tab. The storage's headers keep scripts in them from
      // running.
      link.target = '_blank';
      link.click();
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
}
