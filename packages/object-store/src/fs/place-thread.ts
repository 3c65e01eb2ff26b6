import { parentPort, workerData } from 'node:worker_threads';
import { type PlaceRequest, placeFiles } from './place-files.ts';

/** A {@link PlaceRequest} whose bytes are in the memory that both threads share: their offset and length. */
export type PlaceMessage = Omit<PlaceRequest, 'content'> & { readonly content: number | readonly [number, number] };

// A text crosses threads for a fraction of what objects and their buffers cost.
parentPort?.on('message', (text: string) => {
  const requests = (JSON.parse(text) as readonly PlaceMessage[]).map((message) => ({
    ...message,
    content:
      typeof message.content === 'number'
        ? message.content
        : new Uint8Array(workerData as SharedArrayBuffer, ...message.content),
  }));
  parentPort?.postMessage(JSON.stringify(placeFiles(requests)));
});
