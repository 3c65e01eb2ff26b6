import { readdirSync, readFileSync } from 'node:fs';

/** Returns the processes of this machine that have `marker` (`KEY=value`) in their environment, and the program each runs. */
export function findMarked(marker: string): { readonly pid: number; readonly program: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(marker)) return [];
        return { pid: Number(name), program: readFileSync(`/proc/${name}/comm`, 'utf8').trim() };
      } catch {
        return [];
      }
    });
}
