import { useTell } from '@berth/ui';
import { useConsole } from '../../../api/console-context.ts';
import { nameOf } from '../state/folder-path.ts';

/** Lets the browser fetch an object of a volume by itself. */
export function useDownload(volume: string): (path: string) => Promise<void> {
  const { client } = useConsole();
  const tell = useTell();
  return async (path) => {
    try {
      const { url } = await client.post('/v1/volume/download', { body: { volume, object: path } });
      const link = Object.assign(document.createElement('a'), { href: url, download: nameOf(path), rel: 'noopener' });
      // What a browser shows itself is shown in a tab of its own; the storage lets no script of it run.
      link.target = '_blank';
      link.click();
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
}
