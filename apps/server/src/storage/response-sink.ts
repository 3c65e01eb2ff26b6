import type { ServerResponse } from 'node:http';

/**
 * Creates a function that writes to a response and resolves when the bytes have left this process.
 * @throws Error when the client has disconnected, because Node then calls no write callback
 */
export function createResponseSink(response: ServerResponse): (piece: Uint8Array) => Promise<void> {
  const waiting = new Set<(error: Error) => void>();
  let gone: Error | undefined;
  response.once('close', () => {
    gone = new Error('the client went away');
    for (const reject of waiting) reject(gone);
  });
  return (piece) =>
    new Promise((resolve, reject) => {
      if (gone) {
        reject(gone);
        return;
      }
      waiting.add(reject);
      response.write(piece, (error) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve();
      });
    });
}
