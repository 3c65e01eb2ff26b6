import { createContext, useContext } from 'react';
import type { Api } from '../../api/api.ts';
import type { FileUrl } from '../../api/file-path.ts';
import { createDiagramDrawer, type DiagramDrawer } from '../diagrams/diagram-drawer.ts';
import { openFrameEasel } from '../diagrams/open-frame-easel.ts';

/** What messages and previews show besides their text. */
export interface Media {
  /** Reads a file of this server with the person's token. */
  readFile(url: FileUrl): Promise<Blob>;
  readonly diagrams: DiagramDrawer;
}

export function createMedia(api: Api): Media {
  return {
    readFile: async (url) => await (await api.send(url)).blob(),
    diagrams: createDiagramDrawer({
      openEasel: openFrameEasel,
      schedule(work, delayMs) {
        const timer = setTimeout(work, delayMs);
        return () => clearTimeout(timer);
      },
    }),
  };
}

export const MediaContext = createContext<Media | undefined>(undefined);

export function useMedia(): Media {
  const media = useContext(MediaContext);
  if (!media) throw new Error('useMedia outside of MediaContext');
  return media;
}
