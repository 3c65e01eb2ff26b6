import { createSealer, type Sealer } from '../sealing/create-sealer.ts';

/** Creates a sealer with the one key of all tests. */
export function createTestSealer(): Sealer {
  return createSealer([{ masterKeyId: 'test', key: new Uint8Array(32).fill(7) }]);
}
