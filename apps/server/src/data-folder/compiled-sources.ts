import { constants, enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';

/**
 * Turns on Node's compile cache in the data folder, where no tenant can write: the next start takes half the time and less memory. Node
 * checks each entry against its source. A cache that can't be written is not an error.
 *
 * @returns a function that writes the cache now, for a server that may be killed later
 */
export function keepCompiledSources(dataFolder: string): () => void {
  const { status } = enableCompileCache(compiledFolder(dataFolder));
  const { ENABLED } = constants.compileCacheStatus;
  return () => {
    if (status === ENABLED) flushCompileCache();
  };
}

/** Returns the folder of the compile cache, for the `NODE_COMPILE_CACHE` of other processes. */
export function compiledFolder(dataFolder: string): string {
  return path.join(dataFolder, 'compiled');
}
