// The entry of the server. It does nothing but turn on the compile cache before anything else is loaded.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

// The cache holds code that will be run, so it is in the user's own folder and never in the shared folder for temporary
// files. Compiled sources start in less than half the time and save the memory of the compiler.
try {
  enableCompileCache(path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'berth'));
} catch {
  // A user without HOME and without an entry in the system's user table has no such folder.
}
await import('./run-program.ts');
