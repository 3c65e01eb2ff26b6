import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '@berth/runtime/drivers';
import * as z from 'zod';
import type { IdRange } from '../identity/id-range.ts';

/** The machine-wide resources that a server running as root holds. They outlive it when it is killed. */
export interface MachineClaim {
  /** See `serverHash`. */
  readonly serverHash: string;
  readonly range: IdRange;
  readonly cgroupFolders: readonly string[];
}

/** The claims of all servers of this machine. */
export type MachineClaims = ReturnType<typeof openMachineClaims>;

const Claim = z.object({
  serverHash: z.string().regex(/^[0-9a-f]{12}$/),
  range: z.object({ first: z.int().positive(), count: z.int().positive() }),
  cgroupFolders: z.array(z.string().startsWith('/sys/')),
  pid: z.int().positive(),
  startTicks: z.int().nonnegative(),
});
type Claim = z.infer<typeof Claim>;

/**
 * Opens the claims of this machine.
 * @param folder Created when missing, accessible to root only. It must be on a file system that is empty after a boot (`/run`).
 */
export function openMachineClaims(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const claims = readClaims(folder);
  const pathOf = (hash: string): string => join(folder, `${hash}.json`);
  let own: string | undefined;
  return {
    /** Claims of servers that no longer run, on any data folder, including earlier servers on this one. */
    abandoned: claims.filter((claim) => !isHeld(claim)),
    /** Returns the user ids of the other running servers. */
    taken: (serverHash: string): readonly IdRange[] =>
      claims.filter((claim) => claim.serverHash !== serverHash && isHeld(claim)).map(({ range }) => range),
    /** Deletes an abandoned claim, after its resources were freed. */
    settle: ({ serverHash }: MachineClaim): void => rmSync(pathOf(serverHash), { force: true }),
    /**
     * Writes this server's claim.
     * @throws Error when another running server uses the same user ids.
     */
    make({ serverHash, range, cgroupFolders }: MachineClaim): void {
      const rival = claims.find((claim) => isHeld(claim) && claim.range.first === range.first);
      if (rival && rival.serverHash !== serverHash) {
        throw new Error(
          'Another Berth server on this machine uses the same user IDs. Move one to another data folder.',
        );
      }
      own = pathOf(serverHash);
      const startTicks = readProcess(process.pid)?.startTicks ?? 0;
      const claim: Claim = { serverHash, range, cgroupFolders: [...cgroupFolders], pid: process.pid, startTicks };
      writeFileSync(`${own}.new`, JSON.stringify(claim), { mode: 0o600 });
      renameSync(`${own}.new`, own);
    },
    /** Deletes this server's claim. */
    release(): void {
      if (own !== undefined) rmSync(own, { force: true });
    },
  };
}

/** Returns whether the claim's server still runs. */
function isHeld({ pid, startTicks }: Claim): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}

function readClaims(folder: string): Claim[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        return [Claim.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))];
      } catch {
        return [];
      }
    });
}
