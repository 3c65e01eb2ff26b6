import { realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Finds the folder of the machine's `npm`.
 * @throws Error when there is none
 */
export function findNpm(programPath: string): string {
  for (const folder of programPath.split(path.delimiter)) {
    try {
      const script = realpathSync(path.join(folder, 'npm'));
      if (path.basename(script) === 'npm-cli.js') return path.dirname(path.dirname(script));
    } catch {
      // Not in this one.
    }
  }
  throw new Error('npm was not found on PATH');
}
