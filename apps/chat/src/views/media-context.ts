import { createContext, useContext } from 'react';

/** Reads files of this server for messages, with the person's token. */
export interface Media {
  readFile(url: string): Promise<Blob>;
}

export const MediaContext = createContext<Media>({
  readFile: () => Promise.reject(new Error('nothing reads files here')),
});

export const useMedia = () => useContext(MediaContext);
